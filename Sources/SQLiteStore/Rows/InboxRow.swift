import CivilTime
import Store

/// A row of `inbox`, verified by its checksum.
struct InboxRow {
  /// The columns that a statement must select in this order, of an item `i`.
  static let columns = SQLiteTable.inbox.list(of: "i")
  static let columnCount = Int32(SQLiteTable.inbox.columns.count)

  /// The row of the recipient.
  let recipient: Int64
  /// The notification that the item shows.
  let item: Int64
  /// The row of the item's message.
  var message: Int64
  /// When the gates passed the notification.
  let at: Instant
  var isRead = false

  init(recipient: Int64, item: Int64, message: Int64, at: Instant) {
    self.recipient = recipient
    self.item = item
    self.message = message
    self.at = at
  }

  /// Reads the current row of a statement.
  init(_ row: HotStatement, from first: Int32 = 0) throws {
    recipient = row.integer(first)
    item = row.integer(first + 1)
    message = row.integer(first + 2)
    at = Instant(milliseconds: row.integer(first + 3))
    isRead = row.optionalInteger(first + 4) != nil
    guard checksum == row.integer(first + 5) else {
      throw DamagedRow("inbox", "\(recipient), \(item)")
    }
  }

  var checksum: Int64 {
    var sum = Checksum()
    put(to: &sum)
    return sum.value
  }

  /// Puts the columns that the checksum covers.
  private func put(to writer: inout some RowWriter) {
    writer.put(integer: recipient)
    writer.put(integer: item)
    writer.put(integer: message)
    writer.put(instant: at)
  }

  /// Binds an unread item.
  func bind(to insert: HotStatement) {
    var binder = RowBinder(insert)
    put(to: &binder)
    binder.putUncovered(nil)
    binder.putChecksum()
  }
}
