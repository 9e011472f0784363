/// A table that is copied from one store to another.
package enum CopiedTable: String, CaseIterable, Sendable {
  case recipient, request
  case factBase = "fact_base"
  case schedule, phone, event, message, notification, inbox, lane, retry
  case attempt
  case analytics = "analytics_event"
  case usage, tombstone, token, adoption
  case adoptedText = "adopted_text"

  /// The table's description, whose columns give the order of a row's values.
  package var table: TableDescription {
    switch self {
    case .recipient: .recipient
    case .request: .request
    case .factBase: .factBase
    case .schedule: .schedule
    case .phone: .phone
    case .event: .event
    case .message: .message
    case .notification: .notification
    case .inbox: .inbox
    case .lane: .lane
    case .retry: .retry
    case .attempt: .attempt
    case .analytics: .analytics
    case .usage: .usage
    case .tombstone: .tombstone
    case .token: .token
    case .adoption: .adoption
    case .adoptedText: .adoptedText
    }
  }
}

/// A row that is copied from one store to another.
package struct CopiedRow: Sendable {
  /// The row number of the recipient to whom the row belongs; 0 if it belongs to no recipient.
  package let recipient: Int64
  /// The values in the order of the table's columns.
  package var values: [CopiedValue]

  package init(recipient: Int64, values: [CopiedValue]) {
    (self.recipient, self.values) = (recipient, values)
  }
}

/// A value of a copied row, in a form that every store can read and write.
package enum CopiedValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case text(String)
  case bytes([UInt8])
}

/// A store that is copied as a whole, while no process works on it.
package protocol CopySource {
  /// Returns the service's notes, except those that only this kind of store uses.
  func copiedNotes() throws -> [String: String]

  /// Returns the highest number that each table has ever assigned; 0 if it has assigned none.
  func lastNumbers() throws -> [CopiedTable: Int64]

  /// Calls the body with each row of a table, in order.
  ///
  /// - Throws: an error that describes a damaged row, or the body's error.
  func forEachRow(of table: CopiedTable, _ body: (CopiedRow) throws -> Void) throws
}
