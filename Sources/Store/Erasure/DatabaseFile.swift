import GRDB
import GRDBSQLite

/// The file of a database by SQLite's own handle on it. A descriptor of our own would not do: to
/// close it would give up every lock that the process has on the file.
struct DatabaseFile {
  private let handle: UnsafeMutablePointer<sqlite3_file>
  private let methods: sqlite3_io_methods

  init(_ database: Database) throws(StoreError) {
    guard let connection = database.sqliteConnection else {
      throw .failed(reason: "the database is closed")
    }
    try self.init(connection)
  }

  /// - Parameter connection: SQLite's.
  init(_ connection: OpaquePointer) throws(StoreError) {
    var handle: UnsafeMutablePointer<sqlite3_file>?
    let code = sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &handle)
    guard code == SQLITE_OK, let handle, let methods = handle.pointee.pMethods else {
      throw .failed(reason: "SQLite gives no access to its file")
    }
    self.handle = handle
    self.methods = methods.pointee
  }

  /// The file of a database's log; nil if it has none open.
  init?(logOf database: Database) {
    var handle: UnsafeMutablePointer<sqlite3_file>?
    sqlite3_file_control(
      database.sqliteConnection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &handle)
    guard let handle, let methods = handle.pointee.pMethods else { return nil }
    self.handle = handle
    self.methods = methods.pointee
  }

  /// In bytes.
  func size() throws(StoreError) -> Int64 {
    var size: sqlite3_int64 = 0
    try check("measure", methods.xFileSize?(handle, &size))
    return size
  }

  /// Fills the bytes with what stands at a place.
  func read(_ bytes: inout [UInt8], at place: Int64) throws(StoreError) {
    try check("read", methods.xRead?(handle, &bytes, Int32(bytes.count), place))
  }

  func write(_ bytes: [UInt8], at place: Int64) throws(StoreError) {
    try check("write", methods.xWrite?(handle, bytes, Int32(bytes.count), place))
  }

  func sync() throws(StoreError) {
    try check("sync", methods.xSync?(handle, SQLITE_SYNC_FULL))
  }

  private func check(_ deed: String, _ code: Int32?) throws(StoreError) {
    let code = code ?? SQLITE_MISUSE
    guard code != SQLITE_OK else { return }
    let reason = "cannot \(deed) the database's file: \(String(cString: sqlite3_errstr(code)))"
    throw code & 0xff == SQLITE_FULL ? .full(reason: reason) : .failed(reason: reason)
  }
}
