import GRDB
import GRDBSQLite
internal import Glibc
import Store

/// Tells a disk that does not give back what it holds from a file that holds the wrong thing:
/// SQLite calls both damage (a failed read with `EIO` becomes `SQLITE_CORRUPT`), and a restart
/// helps with the one and not with the other (rule S7).
enum ReadFailure {
  /// What the connection's files last failed with; nil if nothing has failed.
  static func last(of database: Database) -> StoreError? {
    let connection = database.sqliteConnection
    var number: Int32 = 0
    sqlite3_file_control(connection, "main", SQLITE_FCNTL_LAST_ERRNO, &number)
    if number == 0 {
      var log: UnsafeMutablePointer<sqlite3_file>?
      sqlite3_file_control(connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log)
      if let log, let methods = log.pointee.pMethods {
        _ = methods.pointee.xFileControl?(log, SQLITE_FCNTL_LAST_ERRNO, &number)
      }
    }
    guard number != 0 else { return nil }
    return .failed(reason: "a file of it cannot be read: \(String(cString: strerror(number)))")
  }

  /// Does something that reads a store's files, and what SQLite calls damage once more: unless it
  /// comes again and every byte can be read, it was none.
  static func confirmingDamage<Value>(
    of address: DatabaseAddress, _ body: () throws -> Value
  ) throws(StoreError) -> Value {
    do {
      return try body()
    } catch {
      let error = StoreError(error, file: address.file)
      guard case .damaged = error else { throw error }
      try look(at: address)
    }
    do {
      return try body()
    } catch {
      throw StoreError(error, file: address.file)
    }
  }

  /// Reads a database and its log from end to end.
  ///
  /// - Throws: what cannot be read; what it means is not looked at.
  static func look(at address: DatabaseAddress) throws(StoreError) {
    for suffix in ["", "-wal"] where access(address.file + suffix, F_OK) == 0 {
      let file = DatabaseAddress(file: address.file + suffix, vfs: address.vfs)
      var connection: OpaquePointer?
      // As long as nothing is asked of it, the connection takes any file for a database.
      let code = sqlite3_open_v2(
        file.path, &connection, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nil)
      defer { sqlite3_close_v2(connection) }
      guard code == SQLITE_OK, let connection else { throw failure(file.file, code) }
      let opened = try DatabaseFile(connection)
      var bytes = [UInt8](repeating: 0, count: 1 << 20)
      let size = try opened.size()
      var place: Int64 = 0
      while place < size {
        if size - place < Int64(bytes.count) { bytes.removeLast(bytes.count - Int(size - place)) }
        try opened.read(&bytes, at: place)
        place += Int64(bytes.count)
      }
    }
  }

  private static func failure(_ file: String, _ code: Int32) -> StoreError {
    .failed(reason: "\(file) cannot be read: \(String(cString: sqlite3_errstr(code)))")
  }
}
