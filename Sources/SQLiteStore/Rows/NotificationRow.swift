import CivilTime
import Reminders
import Store

/// Rows of `notification`, verified by a checksum over all their columns.
extension NotificationRow {
  /// The columns that a statement must select in this order, of a notification `n`.
  static let columns = SQLiteTable.notification.list(of: "n")
  static let columnCount = Int32(SQLiteTable.notification.columns.count)

  /// Reads the current row of a statement.
  init(_ row: HotStatement, from first: Int32 = 0) throws {
    self = try row.row(of: .notification, from: first) { NotificationRow(from: &$0) }
  }

  var checksum: Int64 {
    var sum = Checksum()
    put(to: &sum)
    return sum.value
  }

  // MARK: - Writing

  /// Sets the occurrence key of a row, unless another row has that key.
  static let rename = """
    UPDATE OR IGNORE notification SET occurrence = ?2, checksum = ?3 WHERE id = ?1
    """

  func bind(to insert: HotStatement) {
    var binder = RowBinder(insert)
    put(to: &binder)
    binder.putChecksum()
  }

  /// Sets the mutable columns of a row.
  static let update = """
    UPDATE notification SET outcome = ?2, trace = ?3, previous = ?4, leader = ?5, dismissed = ?6,
      fallback = ?7, checksum = ?8 WHERE id = ?1
    """

  func bind(toUpdate update: HotStatement) {
    update.bind(1, number)
    update.bind(2, Int64(outcome.rawValue))
    update.bind(3, Int64(bitPattern: trace.rawValue))
    update.bind(4, link.previous)
    update.bind(5, link.leader)
    update.bind(6, dismissed?.milliseconds)
    update.bind(7, Int64(fallback.rawValue))
    update.bind(8, checksum)
  }
}
