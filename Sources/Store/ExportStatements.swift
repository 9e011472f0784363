import GRDB

/// The prepared statements by which everything about one recipient is read.
final class ExportStatements {
  let event: HotStatement
  let notifications: HotStatement
  let retries: HotStatement

  init(_ database: Database) throws {
    event = try HotStatement(
      database, "SELECT \(EventRow.columns) FROM event WHERE id = ?1 AND recipient = ?2")
    notifications = try HotStatement(
      database,
      """
      SELECT \(NotificationRow.columns), \(MessageRow.columns)
      FROM notification n JOIN message m ON m.id = n.message
      WHERE n.recipient = ?1 AND n.id > ?2 ORDER BY n.id LIMIT ?3
      """)
    retries = try HotStatement(
      database,
      "SELECT sink, channel, attempts, due, reason FROM retry WHERE notification = ?1")
  }
}
