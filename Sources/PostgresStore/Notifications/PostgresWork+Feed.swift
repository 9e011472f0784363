import Postgres
import Reminders
import Store

/// What was decided of whomever.
extension PostgresWork {
  func feed(before number: Int64?, limit: Int) throws -> [FeedNotification] {
    try rows(
      """
      SELECT \(DeliveryRow.columns) FROM notification n \(DeliveryRow.joins)
      WHERE n.id < $1 ORDER BY n.id DESC LIMIT $2
      """, [.integer(number ?? .max), .integer(limit)]
    ) { columns in
      let row = try DeliveryRow(columns)
      return FeedNotification(
        recipient: row.recipient, reminder: row.message.reminder, category: row.message.category,
        way: row.notification.way, runLength: row.notification.trace.runLength)
    }
  }
}
