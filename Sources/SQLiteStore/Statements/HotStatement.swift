import GRDB
import GRDBSQLite
import Store

/// A prepared statement for paths with a hundred thousand rows per second: it binds and reads
/// values without boxes or intermediate copies.
final class HotStatement {
  private let statement: Statement
  private let handle: OpaquePointer
  /// The number of parameters that precede those of the current row, if one run writes several
  /// rows.
  var offset: Int32 = 0

  init(_ database: Database, _ sql: String) throws {
    statement = try database.makeStatement(sql: sql)
    handle = statement.sqliteStatement
  }

  // MARK: - Binding, by position from 1

  func bind(_ position: Int32, _ value: Int64) {
    sqlite3_bind_int64(handle, offset + position, value)
  }

  func bind(_ position: Int32, _ value: Int64?) {
    guard let value else {
      sqlite3_bind_null(handle, offset + position)
      return
    }
    sqlite3_bind_int64(handle, offset + position, value)
  }

  /// Copies the text.
  func bind(_ position: Int32, _ value: String) {
    var value = value
    value.withUTF8 { bytes in
      _ = bytes.withMemoryRebound(to: CChar.self) { characters in
        sqlite3_bind_text(
          handle, offset + position, characters.baseAddress, Int32(characters.count),
          Self.sqliteTransient)
      }
    }
  }

  /// Copies the bytes.
  func bind(_ position: Int32, _ value: [UInt8]) {
    guard !value.isEmpty else {
      sqlite3_bind_zeroblob(handle, offset + position, 0)
      return
    }
    value.withUnsafeBytes { bytes in
      _ = sqlite3_bind_blob(
        handle, offset + position, bytes.baseAddress, Int32(bytes.count), Self.sqliteTransient)
    }
  }

  /// `SQLITE_TRANSIENT`: SQLite copies the value.
  private static let sqliteTransient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  // MARK: - Running

  /// Runs to the end and resets.
  func run() throws {
    defer { sqlite3_reset(handle) }
    while try step() {}
  }

  /// The number of rows that the last run wrote.
  var changes: Int { Int(sqlite3_changes(sqlite3_db_handle(handle))) }

  /// Advances to the next row; false if there is none. The caller must reset.
  func step() throws -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw failure(code)
    }
  }

  func reset() {
    sqlite3_reset(handle)
  }

  /// Reads the first row, if there is one.
  func first<Value>(_ read: (HotStatement) throws -> Value) throws -> Value? {
    defer { sqlite3_reset(handle) }
    return try step() ? try read(self) : nil
  }

  /// Reads every row.
  func rows(_ read: (HotStatement) throws -> Void) throws {
    defer { sqlite3_reset(handle) }
    while try step() { try read(self) }
  }

  // MARK: - Columns, by position from 0

  func integer(_ column: Int32) -> Int64 {
    sqlite3_column_int64(handle, column)
  }

  func isNull(_ column: Int32) -> Bool {
    sqlite3_column_type(handle, column) == SQLITE_NULL
  }

  func optionalInteger(_ column: Int32) -> Int64? {
    isNull(column) ? nil : integer(column)
  }

  /// Returns a copy of the value of a column of any type.
  func value(_ column: Int32) -> CopiedValue {
    switch sqlite3_column_type(handle, column) {
    case SQLITE_NULL: .null
    case SQLITE_INTEGER: .integer(integer(column))
    case SQLITE_TEXT: .text(text(column))
    default: .bytes(Array(bytes(column)))
    }
  }

  /// Returns whether a column has exactly the bytes of a text.
  func has(_ column: Int32, _ text: String) -> Bool {
    var text = text
    return text.withUTF8 { $0.elementsEqual(bytes(column)) }
  }

  func text(_ column: Int32) -> String {
    String(decoding: bytes(column), as: UTF8.self)
  }

  /// Returns the column's bytes, which are valid until the statement advances or is reset.
  func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
    let base = sqlite3_column_blob(handle, column)
    return UnsafeRawBufferPointer(start: base, count: Int(sqlite3_column_bytes(handle, column)))
  }

  private func failure(_ code: Int32) -> any Error {
    let connection = sqlite3_db_handle(handle)
    let extended = sqlite3_extended_errcode(connection)
    let message = sqlite3_errmsg(connection).map { String(cString: $0) }
    return DatabaseError(resultCode: ResultCode(rawValue: extended), message: message)
  }
}
