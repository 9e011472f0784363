import GRDB
import GRDBSQLite
import Store

/// Access to a database's file through SQLite's own handle. Closing a separate descriptor would
/// release all locks of the process on the file.
struct DatabaseFile {
  private let handle: UnsafeMutablePointer<sqlite3_file>
  private let methods: sqlite3_io_methods

  init(_ database: Database) throws(StoreError) {
    guard let connection = database.sqliteConnection else {
      throw .failed(reason: "the database is closed")
    }
    try self.init(connection)
  }

  /// - Parameter connection: SQLite's connection.
  init(_ connection: OpaquePointer) throws(StoreError) {
    var handle: UnsafeMutablePointer<sqlite3_file>?
    let code = sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &handle)
    guard code == SQLITE_OK, let handle, let methods = handle.pointee.pMethods else {
      throw .failed(reason: "SQLite gives no access to its file")
    }
    self.handle = handle
    self.methods = methods.pointee
  }

  /// The file of a database's log; nil if none is open.
  init?(logOf database: Database) {
    var handle: UnsafeMutablePointer<sqlite3_file>?
    sqlite3_file_control(
      database.sqliteConnection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &handle)
    guard let handle, let methods = handle.pointee.pMethods else { return nil }
    self.handle = handle
    self.methods = methods.pointee
  }

  /// The size in bytes.
  func size() throws(StoreError) -> Int64 {
    var size: sqlite3_int64 = 0
    try check("measure", methods.xFileSize?(handle, &size))
    return size
  }

  /// Fills the buffer with the file's bytes from an offset on.
  func read(_ bytes: inout [UInt8], at offset: Int64) throws(StoreError) {
    try check("read", methods.xRead?(handle, &bytes, Int32(bytes.count), offset))
  }

  func write(_ bytes: [UInt8], at offset: Int64) throws(StoreError) {
    try check("write", methods.xWrite?(handle, bytes, Int32(bytes.count), offset))
  }

  func sync() throws(StoreError) {
    try check("sync", methods.xSync?(handle, SQLITE_SYNC_FULL))
  }

  private func check(_ verb: String, _ code: Int32?) throws(StoreError) {
    let code = code ?? SQLITE_MISUSE
    guard code != SQLITE_OK else { return }
    let reason = "cannot \(verb) the database's file: \(String(cString: sqlite3_errstr(code)))"
    throw code & 0xff == SQLITE_FULL ? .full(reason: reason) : .failed(reason: reason)
  }
}
