import Postgres
import Reminders
import Store

extension NotificationRow {
  /// The columns of a notification `n` that a statement must select, in this order.
  static let columns = PostgresTable.notification.list(of: "n", from: "id")
  static let columnCount = Int32(TableDescription.notification.columns.count)

  init(_ row: PostgresRow) throws {
    var reader = ColumnReader(row)
    guard let notificationRow = NotificationRow(from: &reader) else {
      throw UnreadableRow("notification", "id", row.integer(0))
    }
    self = notificationRow
  }

  /// The recipient's occurrence, without the channel group.
  var occurrence: Occurrence {
    Occurrence(reminder: reminder, key: key, row: recipient, round: round)
  }
}

/// An occurrence of a recipient, in any channel group.
struct Occurrence: Hashable {
  var reminder: Symbol
  /// The key, which distinguishes the occurrence from others of its reminder.
  var key: Int64
  /// The row number of the recipient.
  var row: UInt32
  /// The round; see `Progress.InProgress`.
  var round: Int64 = 0
}

extension NotificationRecord {
  var occurrence: Occurrence {
    Occurrence(reminder: reminder, key: key, row: row, round: round)
  }
}
