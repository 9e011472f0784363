import GRDB

/// The prepared statements that look many things up at a time.
final class BulkStatements {
  let recipientsByRow: BulkSelect
  let rowsByName: BulkSelect
  let identities: BulkSelect

  init(_ database: Database) throws {
    recipientsByRow = try BulkSelect(
      database, RecipientRow.columns,
      from: """
        recipient r ON r.id = wanted.key CROSS JOIN schedule s ON s.recipient = wanted.key
        """)
    rowsByName = try BulkSelect(database, "r.id", from: "recipient r ON r.name = wanted.key")
    identities = try BulkSelect(
      database, "wanted.key", from: "event_identity i ON i.hash = wanted.key")
  }
}
