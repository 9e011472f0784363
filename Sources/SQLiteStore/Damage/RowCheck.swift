import GRDB
import Store

/// Compares rows with their checksums. A store checks each row that it reads. Before a backup is
/// restored or a store is copied, all rows are checked.
enum RowCheck {
  /// Checks all rows. Cost: reading the whole database.
  ///
  /// - Throws: `DamagedRow` for the first row that is damaged.
  static func all(_ database: Database) throws {
    func each(_ query: String, _ read: (HotStatement) throws -> Void) throws {
      try HotStatement(database, query).rows(read)
    }
    try notes(database)
    let requests = try RequestStatements(database)
    try each(
      "SELECT \(RecipientRow.columns) FROM recipient r JOIN schedule s ON s.recipient = r.id"
    ) { row in
      var stored = try RecipientRow.recipient(row)
      try requests.complete(&stored)
    }
    try each("SELECT \(RequestRow.columns) FROM request") { _ = try RequestRow.part($0) }
    try each("SELECT \(FactBaseRow.columns) FROM fact_base") { _ = try FactBaseRow.base($0) }
    try each("SELECT \(SQLiteTable.token.columnList) FROM token") { _ = try TokenRow.token($0) }
    try each("SELECT \(SQLiteTable.adoption.columnList) FROM adoption") {
      _ = try AdoptionRow.adoption($0)
    }
    try each("SELECT \(SQLiteTable.adoptedText.columnList) FROM adopted_text") {
      _ = try AdoptionRow.text($0)
    }
    try each("SELECT \(EventRow.columns) FROM event") { _ = try EventRow($0) }
    try each("SELECT \(MessageRow.columns), m.id FROM message m") { row in
      _ = try MessageRow.message(row, from: 0, number: row.integer(MessageRow.columnCount))
    }
    try each("SELECT \(NotificationRow.columns) FROM notification n") {
      _ = try NotificationRow($0)
    }
    try each("SELECT \(InboxRow.columns) FROM inbox i") { _ = try InboxRow($0) }
    try each("SELECT \(SQLiteTable.lane.columnList) FROM lane") { _ = try LaneRow($0) }
    try each("SELECT \(SQLiteTable.attempt.columnList) FROM attempt") { _ = try AttemptRow($0) }
    ChecksumFunctions.add(to: database)
    try each("SELECT \(RetryRow.isIntact()) FROM retry") { _ in }
  }

  private static func notes(_ database: Database) throws {
    for key in try String.fetchAll(database, sql: "SELECT key FROM meta") {
      _ = try Notes.text(key, in: database)
    }
  }
}
