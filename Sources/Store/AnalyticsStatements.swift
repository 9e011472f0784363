import GRDB

/// The prepared statements for what is measured of use (rules M1, M2).
final class AnalyticsStatements {
  let insertEvent: HotStatement
  let events: HotStatement
  let eventsOfRecipient: HotStatement
  let upsertUsage: HotStatement
  let usage: HotStatement

  init(_ database: Database) throws {
    insertEvent = try HotStatement(
      database,
      "INSERT INTO analytics_event (recipient, time, name, parameters) VALUES (?1, ?2, ?3, ?4)")
    events = try HotStatement(database, Self.select + " ORDER BY a.id LIMIT ?2")
    eventsOfRecipient = try HotStatement(
      database, Self.select + " AND a.recipient = ?3 ORDER BY a.id LIMIT ?2")
    upsertUsage = try HotStatement(
      database,
      """
      INSERT INTO usage VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
      ON CONFLICT DO UPDATE SET count = count + excluded.count
      """)
    usage = try HotStatement(
      database,
      """
      SELECT category, channel, hour, measure, reason, sum(count) FROM usage
      WHERE date BETWEEN ?1 AND ?2 GROUP BY category, channel, hour, measure, reason
      """)
  }

  private static let select = """
    SELECT a.id, a.time, a.name, a.parameters, \(RecipientRow.nameColumns)
    FROM analytics_event a JOIN recipient r ON r.id = a.recipient WHERE a.id > ?1
    """
}
