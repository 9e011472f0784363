import GRDB

/// The prepared statements by which one recipient's chain of notifications is followed.
final class StreamStatements {
  let head: HotStatement
  let previous: HotStatement
  let deliveries: HotStatement
  let recent: HotStatement
  let last: HotStatement
  let place: HotStatement

  /// - Parameter deliveries: what selects deliveries, but for which.
  init(_ database: Database, deliveries select: String) throws {
    head = try HotStatement(
      database, "SELECT \(ScheduleRow.columns) FROM schedule s WHERE s.recipient = ?1")
    last = try HotStatement(database, "SELECT max(id) FROM notification")
    place = try HotStatement(
      database, "SELECT previous, message FROM notification WHERE id = ?1 AND recipient = ?2")
    previous = try HotStatement(
      database,
      "SELECT \(NotificationRow.columns) FROM notification n WHERE n.id = ?1 AND n.recipient = ?2")
    deliveries = try HotStatement(database, select + " WHERE n.id = ?1 AND n.recipient = ?2")
    recent = try HotStatement(
      database,
      """
      SELECT \(NotificationRow.columns), \(MessageRow.columns)
      FROM notification n JOIN message m ON m.id = n.message
      WHERE n.id = ?1 AND n.recipient = ?2
      """)
  }
}
