import GRDB

/// The prepared statements for what people ask of what is past.
final class HistoryStatements {
  let notification: HotStatement
  let notificationOfOccurrence: HotStatement
  let retries: HotStatement

  init(_ database: Database) throws {
    func prepare(_ sql: String) throws -> HotStatement { try HotStatement(database, sql) }
    notification = try prepare(
      """
      SELECT \(NotificationRow.columns), \(MessageRow.columns)
      FROM notification n JOIN message m ON m.id = n.message WHERE n.id = ?1
      """)
    notificationOfOccurrence = try prepare(
      """
      SELECT id FROM notification
      WHERE reminder = ?1 AND occurrence = ?2 AND recipient = ?3 AND track = ?4
      """)
    retries = try prepare(
      "SELECT sink, channel, attempts, due, reason FROM retry WHERE notification = ?1")
  }
}
