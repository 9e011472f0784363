import CPostgres

/// A row of an answer, whose columns are in binary form. Only while it is being looked at.
package struct PostgresRow {
  private let result: OpaquePointer
  private let row: Int32

  init(_ result: OpaquePointer, _ row: Int32) {
    (self.result, self.row) = (result, row)
  }

  package func isNull(_ column: Int32) -> Bool { PQgetisnull(result, row, column) != 0 }

  /// The number in a column, however wide it is; a truth value is 1 or 0.
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

  package func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

  package func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

  package func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      start: PQgetvalue(result, row, column), count: Int(PQgetlength(result, row, column)))
  }
}
