import GRDB

/// The prepared statements by which the service is watched.
final class CountStatements {
  let deadLetters: HotStatement
  let oldestDelivery: HotStatement
  let oldestRetry: HotStatement

  init(_ database: Database) throws {
    deadLetters = try HotStatement(
      database, "SELECT count(*) FROM retry WHERE sink = ?1 AND due IS NULL")
    oldestDelivery = try HotStatement(
      database, "SELECT at FROM notification WHERE id > ?1 AND outcome = 1 ORDER BY id LIMIT 1")
    oldestRetry = try HotStatement(
      database,
      """
      SELECT n.at FROM retry t JOIN notification n ON n.id = t.notification
      WHERE t.sink = ?1 AND t.due IS NOT NULL ORDER BY t.notification LIMIT 1
      """)
  }
}
