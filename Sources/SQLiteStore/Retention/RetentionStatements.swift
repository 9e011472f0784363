import GRDB

/// The prepared statements for pruning (rule H7).
final class RetentionStatements {
  let events: HotStatement
  let deleteEvent: HotStatement
  let deleteIdentity: HotStatement
  let notifications: HotStatement
  /// Selects whether a notification of an occurrence uses a message.
  let messageUses: HotStatement
  /// Selects whether a notification has a retry, or waits in a lane of one of its channels.
  let unanswered: HotStatement
  /// Selects notifications, each with the time of its earliest attempt.
  let notificationsWithAttempts: HotStatement
  let deleteAttempts: HotStatement
  let analytics: HotStatement
  let deleteAnalytics: HotStatement

  init(_ database: Database) throws {
    func prepare(_ sql: String) throws -> HotStatement { try HotStatement(database, sql) }
    events = try prepare("SELECT \(EventRow.columns) FROM event WHERE id > ?1 ORDER BY id LIMIT ?2")
    deleteEvent = try prepare("DELETE FROM event WHERE id = ?1")
    deleteIdentity = try prepare("DELETE FROM event_identity WHERE hash = ?1 AND event = ?2")
    notifications = try prepare(
      "SELECT id, at FROM notification WHERE id > ?1 ORDER BY id LIMIT ?2")
    messageUses = try prepare(
      """
      SELECT 1 FROM notification
      WHERE reminder = ?1 AND occurrence = ?2 AND recipient = ?3 AND message = ?4
      """)
    unanswered = try prepare(
      """
      SELECT 1 FROM retry WHERE notification = ?1 AND due IS NOT NULL
      UNION ALL SELECT 1 FROM lane WHERE through < ?1 AND channels & ?2
      """)
    notificationsWithAttempts = try prepare(
      """
      SELECT notification, min(at) FROM attempt WHERE notification > ?1 AND number > 0
      GROUP BY notification ORDER BY notification LIMIT ?2
      """)
    analytics = try prepare(
      "SELECT id, time FROM analytics_event WHERE id > ?1 ORDER BY id LIMIT ?2")
    deleteAnalytics = try prepare("DELETE FROM analytics_event WHERE id = ?1")
    deleteAttempts = try prepare(
      """
      DELETE FROM attempt WHERE notification = ?1 AND channel = ?2 AND number > 0
        AND (?3 OR number <
          (SELECT max(number) FROM attempt WHERE notification = ?1 AND channel = ?2))
      """)
  }
}
