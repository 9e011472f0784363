import Store

/// Reads the columns of a statement's current row, and computes their checksum.
struct ColumnReader: RowReader {
  private let row: HotStatement
  /// The position of the next column, from 0.
  private var column: Int32
  /// The checksum of the values so far.
  private var sum = Checksum()

  init(_ row: HotStatement, from first: Int32) {
    self.row = row
    column = first
  }

  mutating func integer() -> Int64 {
    let integer = row.integer(column)
    sum.put(integer: integer)
    column += 1
    return integer
  }

  mutating func optionalInteger() -> Int64? {
    let integer = row.optionalInteger(column)
    sum.put(optionalInteger: integer)
    column += 1
    return integer
  }

  mutating func text() -> String {
    String(decoding: nextBytes(), as: UTF8.self)
  }

  mutating func optionalText() -> String? {
    let isNull = row.isNull(column)
    sum.put(integer: isNull ? 0 : 1)
    let text = text()
    return isNull ? nil : text
  }

  mutating func bytes() -> [UInt8] { Array(nextBytes()) }

  /// Adds a value that is not in the row to the checksum.
  mutating func cover(_ integer: Int64) { sum.put(integer: integer) }

  /// Compares the next column with the checksum of the values so far.
  mutating func verifyChecksum() -> Bool {
    column += 1
    return sum.value == row.integer(column - 1)
  }

  /// Compares the next column with a checksum, which covers the values so far and the column after
  /// the checksum.
  mutating func verifyChecksumWithNext() -> Bool {
    sum.add(row.bytes(column + 1))
    return verifyChecksum()
  }

  private mutating func nextBytes() -> UnsafeRawBufferPointer {
    let bytes = row.bytes(column)
    sum.add(bytes)
    column += 1
    return bytes
  }
}

extension HotStatement {
  /// Reads the columns of a table in the current row; the last column is the checksum.
  ///
  /// - Parameters:
  ///   - first: the first column of the table.
  ///   - read: reads all columns except the checksum; nil if they are invalid.
  /// - Throws: `DamagedRow`.
  func row<Value>(
    of table: SQLiteTable, from first: Int32 = 0, _ read: (inout ColumnReader) -> Value?
  ) throws -> Value {
    var reader = ColumnReader(self, from: first)
    guard let value = read(&reader), reader.verifyChecksum() else {
      throw DamagedRow(table.name, text(first))
    }
    return value
  }
}
