import Reminders
import Store

/// A row of `fact_base`, verified by its checksum.
enum FactBaseRow {
  /// The columns that a statement must select in this order, and those of a new row.
  static let columns = SQLiteTable.factBase.columnList

  /// Reads the current row of a statement.
  static func base(_ row: HotStatement) throws -> FactBase {
    var reader = ColumnReader(row, from: 0)
    let recipient = reader.integer()
    _ = reader.optionalInstant()
    guard reader.verifyChecksumWithNext() else { throw DamagedRow("fact_base", recipient) }
    do {
      return try FactBase(decoding: row.bytes(3))
    } catch {
      throw DamagedRow("fact_base", "\(recipient) (\(error))")
    }
  }

  static func bind(_ base: FactBase, of recipient: UInt32, to insert: HotStatement) {
    var binder = RowBinder(insert)
    binder.put(integer: Int64(recipient))
    binder.put(optionalInstant: base.firstExpiry)
    binder.putChecksum(covering: base.encoded)
  }
}
