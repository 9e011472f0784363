import Postgres
import Store

/// Reads the columns of a result's row.
struct ColumnReader: RowReader {
  private let row: PostgresRow
  /// The index of the column that is read next.
  private var column: Int32

  init(_ row: PostgresRow, from first: Int32 = 0) {
    self.row = row
    column = first
  }

  mutating func integer() -> Int64 {
    column += 1
    return row.integer(column - 1)
  }

  mutating func optionalInteger() -> Int64? {
    column += 1
    return row.optionalInteger(column - 1)
  }

  mutating func text() -> String {
    column += 1
    return row.text(column - 1)
  }

  mutating func optionalText() -> String? {
    column += 1
    return row.optionalText(column - 1)
  }

  mutating func bytes() -> [UInt8] { Array(nextBytes()) }

  /// The bytes, which are valid as long as the row.
  mutating func nextBytes() -> UnsafeRawBufferPointer {
    column += 1
    return row.bytes(column - 1)
  }
}

extension PostgresRows: RowWriter {
  package mutating func put(integer: Int64) { add(integer as Int64?) }
  package mutating func put(optionalInteger: Int64?) { add(optionalInteger) }
  package mutating func put(text: String) { add(text as String?) }
  package mutating func put(optionalText: String?) { add(optionalText) }
  package mutating func put(bytes: [UInt8]) { add(bytes) }
}
