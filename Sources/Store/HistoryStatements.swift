import GRDB

/// The prepared statements for what people ask of what is past.
final class HistoryStatements {
  let notification: HotStatement
  let notificationOfOccurrence: HotStatement
  let event: HotStatement
  let retries: HotStatement
  let trace: HotStatement

  init(_ database: Database) throws {
    func prepare(_ sql: String) throws -> HotStatement { try HotStatement(database, sql) }
    notification = try prepare(
      """
      SELECT n.recipient, n.reminder, n.occurrence, n.track, n.planned, n.at, n.expiry, n.outcome,
        n.channels, n.silent, n.trace, m.reminder, m.category, m.title, m.body, m.details, m.members
      FROM notification n JOIN message m ON m.id = n.message WHERE n.id = ?1
      """)
    trace = try prepare("SELECT trace FROM notification WHERE id = ?1")
    notificationOfOccurrence = try prepare(
      """
      SELECT id FROM notification
      WHERE reminder = ?1 AND occurrence = ?2 AND recipient = ?3 AND track = ?4
      """)
    event = try prepare(
      """
      SELECT id, received, source, identifier, type, time, is_time_given, data, previous
      FROM event WHERE id = ?1
      """)
    retries = try prepare(
      "SELECT sink, channel, attempts, due, reason FROM retry WHERE notification = ?1")
  }
}
