import CPostgres

/// Rows that are written together: as one array for each column, or by COPY.
///
/// Values are added from left to right, row by row.
package struct PostgresRows: Sendable {
  /// The type of each column.
  package let types: [PostgresType]
  /// The values of each column.
  private var columns: [PostgresCells]
  /// The index of the column that gets the next value.
  private var nextColumn = 0

  package init(_ types: PostgresType...) {
    self.init(types)
  }

  package init(_ types: [PostgresType]) {
    self.types = types
    columns = types.map { _ in PostgresCells() }
  }

  /// The number of complete rows.
  package var count: Int { columns.last?.count ?? 0 }
  package var isEmpty: Bool { count == 0 }

  /// Adds a value of an integer type or of `bool` to the next column; nil for NULL.
  package mutating func add(_ number: Int64?) {
    if let number {
      columns[nextColumn].add(number, as: types[nextColumn])
    } else {
      columns[nextColumn].addNull()
    }
    advance()
  }

  package mutating func add(_ number: some BinaryInteger) { add(Int64(number) as Int64?) }

  package mutating func add(_ flag: Bool) { add((flag ? 1 : 0) as Int64?) }

  package mutating func add(_ text: String?) {
    if let text { columns[nextColumn].add(text) } else { columns[nextColumn].addNull() }
    advance()
  }

  package mutating func add(_ bytes: [UInt8]) {
    columns[nextColumn].add(bytes)
    advance()
  }

  private mutating func advance() {
    nextColumn = (nextColumn + 1) % types.count
  }

  // MARK: - As arrays

  /// One array for each column.
  package var arrays: [PostgresParameter] {
    zip(columns, types).map { PostgresParameter($0, of: $1) }
  }

  /// `unnest($1::int8[], $2::text[])`, which turns the arrays back into rows.
  package var unnested: String {
    let arrays = types.enumerated().map { "$\($0 + 1)::\($1.name)[]" }
    return "unnest(\(arrays.joined(separator: ", ")))"
  }

  // MARK: - As a COPY

  /// The complete rows in the binary format of COPY.
  package var copyBytes: [UInt8] {
    var bytes = Array("PGCOPY\n".utf8) + [0xff, 0x0d, 0x0a, 0]
    bytes.reserveCapacity(columns.reduce(32 + 2 * count) { $0 + $1.bytes.count })
    // Flags, and the length of the header extension.
    bytes.add(Int32(0))
    bytes.add(Int32(0))
    for row in 0..<count {
      bytes.add(Int16(truncatingIfNeeded: columns.count))
      for column in columns { bytes += column.cell(row) }
    }
    bytes.add(Int16(-1))
    return bytes
  }
}

/// A row of a result, with columns in binary format. It is valid only inside the callback that
/// receives it. Columns are numbered from 0.
package struct PostgresRow {
  /// libpq's result.
  private let result: OpaquePointer
  /// The index of the row in the result.
  private let row: Int32

  init(_ result: OpaquePointer, _ row: Int32) {
    (self.result, self.row) = (result, row)
  }

  package func isNull(_ column: Int32) -> Bool { PQgetisnull(result, row, column) != 0 }

  /// Returns the number in a column of any integer type; a Boolean is 1 or 0, and NULL is 0.
  package func integer(_ column: Int32) -> Int64 {
    let bytes = bytes(column)
    guard let first = bytes.first else { return 0 }
    guard bytes.count > 1 else { return Int64(first) }
    // The first byte has the sign.
    return bytes.dropFirst().reduce(Int64(Int8(bitPattern: first))) { $0 << 8 | Int64($1) }
  }

  package func optionalInteger(_ column: Int32) -> Int64? {
    isNull(column) ? nil : integer(column)
  }

  /// Returns the text in a column; NULL is the empty text.
  package func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

  package func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

  /// Returns the bytes in a column, valid as long as the row; NULL has none.
  package func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      start: PQgetvalue(result, row, column), count: Int(PQgetlength(result, row, column)))
  }
}
