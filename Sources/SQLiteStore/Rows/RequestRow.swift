import Reminders
import Store

/// A row of `request`, verified by its checksum.
enum RequestRow {
  /// The columns that a statement must select in this order, and those of a new row.
  static let columns = SQLiteTable.request.columnList

  /// Reads the current row of a statement.
  static func part(_ row: HotStatement) throws -> RequestPart {
    var reader = ColumnReader(row, from: 0)
    let key = reader.integer()
    _ = reader.integer()
    guard reader.verifyChecksumWithNext() else { throw DamagedRow("request", key) }
    do {
      return try RequestPart(key: key, decoding: Array(row.bytes(3)), row: .same)
    } catch {
      throw DamagedRow("request", "\(key) (\(error))")
    }
  }

  static func bind(_ part: RequestPart, of recipient: UInt32, to insert: HotStatement) {
    var binder = RowBinder(insert)
    binder.put(integer: part.key)
    binder.put(integer: Int64(recipient))
    binder.putChecksum(covering: part.bytes)
  }
}
