/// What a store of one kind hands over to one of another: the tables that both have, each row as
/// the values of these columns, in order.
package enum CopiedTable: String, CaseIterable, Sendable {
  case recipient, request, schedule, event, message, notification, inbox, lane, retry, attempt
  case analytics = "analytics_event"
  case usage, tombstone, token

  package var columns: [String] {
    let text =
      switch self {
      case .recipient: "id name last_event facts"
      case .request: "part recipient requests"
      case .schedule: "recipient due pending head recent items unread cleared progress"
      case .event:
        "id identity recipient previous time is_time_given received source identifier type data"
      case .message: "id hash reminder category title body details members trace"
      case .notification:
        "id recipient reminder occurrence channel_group planned at expiry outcome channels manner "
          + "trace message previous leader dismissed fallback round"
      case .inbox: "recipient item message at read"
      case .lane: "sink through channels handed"
      case .retry: "notification channel sink attempts due reason holder deaths"
      case .attempt:
        "notification channel number sink at verdict status excerpt duration reason"
      case .analytics: "id recipient time name parameters"
      case .usage: "date category channel hour measure reason count"
      case .tombstone: "name rest time"
      case .token: "id name scope digest created expiry revoked last_use"
      }
    return text.split(separator: " ").map(String.init)
  }
}

/// A row on its way from one store into another.
package struct CopiedRow: Sendable {
  /// The number of the recipient by whose side it stands; 0 for nobody's.
  package let recipient: Int64
  package var values: [CopiedValue]

  package init(recipient: Int64, values: [CopiedValue]) {
    (self.recipient, self.values) = (recipient, values)
  }
}

package enum CopiedValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case text(String)
  case bytes([UInt8])
}

/// A store from which everything is copied, while nobody works on it.
package protocol CopySource {
  /// What the service has noted for itself, but for what only this kind of store knows.
  func copiedNotes() throws -> [String: String]

  /// The highest number that was ever given out of each table's; 0 for none.
  func lastNumbers() throws -> [CopiedTable: Int64]

  /// Every row of a table, one after the other.
  ///
  /// - Throws: what is wrong with the row, or what the body throws.
  func forEachRow(of table: CopiedTable, _ body: (CopiedRow) throws -> Void) throws
}
