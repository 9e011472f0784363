import GRDB

/// The prepared statements by which everything about one recipient is read.
final class ExportStatements {
  let event: HotStatement
  let retries: HotStatement

  init(_ database: Database) throws {
    event = try HotStatement(
      database, "SELECT \(EventRow.columns) FROM event WHERE id = ?1 AND recipient = ?2")
    retries = try HotStatement(
      database,
      "SELECT sink, channel, attempts, due, reason FROM retry WHERE notification = ?1")
  }
}
