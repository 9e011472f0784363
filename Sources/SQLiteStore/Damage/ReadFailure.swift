import GRDB
import GRDBSQLite
internal import Glibc
import Store

/// Distinguishes a failed read of the disk from wrong content of a file. SQLite reports both as
/// damage: a read that fails with `EIO` becomes `SQLITE_CORRUPT`. But a restart can help only after
/// a failed read (rule S7).
enum ReadFailure {
  /// The last error of the connection's files; nil if none failed.
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
    return .failed(reason: "one of its files cannot be read: \(String(cString: strerror(number)))")
  }

  /// Runs a read of a store's files, and runs it again if SQLite reports damage. Throws `damaged`
  /// only if SQLite reports damage twice and every byte of the files can be read.
  static func confirmingDamage<Value>(
    of address: DatabaseAddress, _ body: () throws -> Value
  ) throws(StoreError) -> Value {
    do {
      return try body()
    } catch {
      let error = StoreError(error, file: address.file)
      guard case .damaged = error else { throw error }
      try readCompletely(address)
    }
    do {
      return try body()
    } catch {
      throw StoreError(error, file: address.file)
    }
  }

  /// Reads a database and its log from end to end without interpreting them.
  ///
  /// - Throws: the read error.
  static func readCompletely(_ address: DatabaseAddress) throws(StoreError) {
    for suffix in ["", "-wal"] where access(address.file + suffix, F_OK) == 0 {
      let file = DatabaseAddress(file: address.file + suffix, vfs: address.vfs)
      var connection: OpaquePointer?
      // Until its first query, the connection accepts any file as a database.
      let code = sqlite3_open_v2(
        file.path, &connection, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nil)
      defer { sqlite3_close_v2(connection) }
      guard code == SQLITE_OK, let connection else { throw failure(file.file, code) }
      let databaseFile = try DatabaseFile(connection)
      var bytes = [UInt8](repeating: 0, count: 1 << 20)
      let size = try databaseFile.size()
      var offset: Int64 = 0
      while offset < size {
        if size - offset < Int64(bytes.count) { bytes.removeLast(bytes.count - Int(size - offset)) }
        try databaseFile.read(&bytes, at: offset)
        offset += Int64(bytes.count)
      }
    }
  }

  private static func failure(_ file: String, _ code: Int32) -> StoreError {
    .failed(reason: "\(file) cannot be read: \(String(cString: sqlite3_errstr(code)))")
  }
}
