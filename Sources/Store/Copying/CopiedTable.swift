/// A table that both kinds of store have, for copying one store to another. `columns` gives the
/// order of a row's values.
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

/// A row that is copied from one store to another.
package struct CopiedRow: Sendable {
  /// The row number of the recipient that the row belongs to; 0 if it belongs to no recipient.
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

/// A store that is copied as a whole, while no process works on it.
package protocol CopySource {
  /// The service's notes, except those that only this kind of store uses.
  func copiedNotes() throws -> [String: String]

  /// The highest number that each table ever assigned; 0 for none.
  func lastNumbers() throws -> [CopiedTable: Int64]

  /// Calls the body with each row of a table, in order.
  ///
  /// - Throws: an error that describes a damaged row, or the body's error.
  func forEachRow(of table: CopiedTable, _ body: (CopiedRow) throws -> Void) throws
}
