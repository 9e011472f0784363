import Store

/// A statement that selects rows to copy. Its first column is the row number of the row's
/// recipient, or 0 if there is none; the columns of the table follow.
struct CopySelection {
  let statement: String
  /// The number of the table's columns.
  private let count: Int
  /// Computes the values that SQL cannot compute.
  private let finish: (inout [CopiedValue]) -> Void

  /// Reads the current row of the statement.
  func row(_ row: HotStatement) -> CopiedRow {
    var values = (0..<count).map { row.value(Int32($0) + 1) }
    finish(&values)
    return CopiedRow(recipient: row.integer(0), values: values)
  }

  /// - Parameters:
  ///   - recipient: an expression of the recipient's row number.
  ///   - changes: expressions for columns that are not copied unchanged.
  ///   - source: the tables, conditions and order after FROM; nil for the table alone.
  private init(
    _ table: CopiedTable, _ recipient: String = "0", _ changes: [String: String] = [:],
    from source: String? = nil, _ finish: @escaping (inout [CopiedValue]) -> Void = { _ in }
  ) {
    let columns = table.table.columns.map { changes[$0.name] ?? "t.\($0.name)" }
    let list = ([recipient] + columns).joined(separator: ", ")
    statement = "SELECT \(list) FROM \(source ?? "\(table.rawValue) t")"
    count = columns.count
    self.finish = finish
  }

  /// Returns the selections that together have all rows of a table.
  ///
  /// - Parameter hash: computes the identities of events.
  static func all(of table: CopiedTable, _ hash: IdentityHash) -> [CopySelection] {
    switch table {
    case .recipient: [CopySelection(table, "t.id", from: "recipient t ORDER BY t.id")]
    case .request, .schedule, .phone, .notification, .inbox: [CopySelection(table, "t.recipient")]
    case .event: events(hash)
    case .retry, .attempt: [ofNotification(table)]
    case .message, .lane, .analytics, .usage, .tombstone, .token: [CopySelection(table)]
    }
  }

  private static func ofNotification(_ table: CopiedTable) -> CopySelection {
    CopySelection(
      table, "n.recipient",
      from: "\(table.rawValue) t JOIN notification n ON n.id = t.notification")
  }

  /// The selections of events. The row of an erased event has no source and no identifier, so its
  /// identity is selected from the table of identities. The identities of other events are
  /// computed.
  private static func events(_ hash: IdentityHash) -> [CopySelection] {
    let isErased = "t.identifier = '' AND t.type = ''"
    let unerased = CopySelection(
      .event, "t.recipient", ["identity": "0"], from: "event t WHERE NOT (\(isErased))"
    ) { values in
      guard case .text(let source) = values[7], case .text(let identifier) = values[8] else {
        return
      }
      values[1] = .integer(hash.event(source: source, identifier: identifier))
    }
    let erased = CopySelection(
      .event, "0", ["identity": "i.hash"],
      from: "event_identity i JOIN event t ON t.id = i.event WHERE \(isErased)")
    return [unerased, erased]
  }
}
