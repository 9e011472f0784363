import GRDB
import Reminders
import Store

/// The prepared statements for analytics events and usage counts (rules M1, M2).
final class AnalyticsStatements {
  let insertEvent: HotStatement
  let events: HotStatement
  let eventsOfRecipient: HotStatement
  let backlog: HotStatement
  let outcomeBacklog: HotStatement
  let otherBacklog: HotStatement
  let upsertUsage: HotStatement
  let usage: HotStatement
  let nextUsage: HotStatement
  let deleteUsage: HotStatement

  init(_ database: Database) throws {
    insertEvent = try HotStatement(
      database,
      "INSERT INTO analytics_event (recipient, time, name, parameters) VALUES (?1, ?2, ?3, ?4)")
    events = try HotStatement(database, Self.select + " ORDER BY a.id LIMIT ?2")
    eventsOfRecipient = try HotStatement(
      database, Self.select + " AND a.recipient = ?3 ORDER BY a.id LIMIT ?2")
    backlog = try HotStatement(database, Self.backlog(""))
    outcomeBacklog = try HotStatement(
      database, Self.backlog("AND name = '\(NotificationOutcome.name)'"))
    otherBacklog = try HotStatement(
      database, Self.backlog("AND name <> '\(NotificationOutcome.name)'"))
    upsertUsage = try HotStatement(
      database,
      SQLiteTable.usage.insertion("INSERT")
        + " ON CONFLICT DO UPDATE SET count = count + excluded.count")
    usage = try HotStatement(
      database,
      """
      SELECT category, channel, hour, measure, reason, sum(count) FROM usage
      WHERE date BETWEEN ?1 AND ?2 GROUP BY category, channel, hour, measure, reason
      """)
    nextUsage = try HotStatement(
      database,
      "SELECT date, count(*) FROM usage WHERE date > ?1 GROUP BY date ORDER BY date LIMIT 1")
    deleteUsage = try HotStatement(database, "DELETE FROM usage WHERE date = ?1")
  }

  private static func backlog(_ condition: String) -> String {
    """
    SELECT count(*), min(time), (SELECT max(id) FROM analytics_event)
    FROM (SELECT time FROM analytics_event WHERE id > ?1 \(condition) ORDER BY id LIMIT ?2)
    """
  }

  private static let select = """
    SELECT a.id, a.time, a.name, a.parameters, \(RecipientRow.nameColumns)
    FROM analytics_event a JOIN recipient r ON r.id = a.recipient WHERE a.id > ?1
    """
}
