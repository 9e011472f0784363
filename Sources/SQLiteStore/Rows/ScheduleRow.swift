import Reminders
import Store

/// Rows of `schedule`, verified by their checksums.
extension ScheduleRow {
  /// The columns that a statement must select in this order, of a schedule `s`.
  static let columns = SQLiteTable.schedule.list(of: "s")

  /// The column of the progress if the columns begin at `first`.
  static func progressColumn(from first: Int32) -> Int32 { first + 9 }

  /// Reads the current row of a statement.
  init(_ row: HotStatement, from first: Int32 = 0) throws {
    var reader = ColumnReader(row, from: first)
    self.init(from: &reader)
    guard reader.verifyChecksumWithNext() else { throw DamagedRow("schedule", recipient) }
  }

  func bind(with progress: [UInt8], to replace: HotStatement) {
    var binder = RowBinder(replace)
    put(to: &binder)
    binder.putChecksum(covering: progress)
  }
}
