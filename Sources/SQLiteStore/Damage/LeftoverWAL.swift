import CSQLite
import GRDBSQLite
internal import Glibc
import Store

/// SQLite's write lock, which one connection holds at a time.
private struct WriteLock {
  private let connection: OpaquePointer?

  /// Acquires the lock. Any error other than another program's lock is ignored, because opening the
  /// store will report it.
  init(_ address: DatabaseAddress) throws(StoreError) {
    var connection: OpaquePointer?
    sqlite3_open_v2(
      address.path, &connection, SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI, nil)
    self.connection = connection
    if let connection { _ = chime_sqlite_leave_log(connection) }
    sqlite3_busy_timeout(connection, SQLiteStore.lockTimeout)
    let code = sqlite3_exec(connection, "BEGIN IMMEDIATE", nil, nil, nil)
    guard [SQLITE_BUSY, SQLITE_LOCKED].contains(code) else { return }
    end()
    throw .locked(reason: String(cString: sqlite3_errstr(code)))
  }

  func end() { sqlite3_close_v2(connection) }
}

/// The write-ahead log that an earlier process has left, and that a start continues.
///
/// The log may be readable without being on the disk. The earlier process may have been killed
/// before it had synced all of the log. After a failed sync, Linux marks pages as clean although
/// they are not on the disk, and no later sync writes them (fsync(2), "EIO"). SQLite would append
/// to such a log, and a power cut would remove the log with every event acknowledged since.
enum LeftoverWAL {
  /// Rewrites the log with the same bytes, and syncs it. A power cut during the rewrite does no
  /// harm, because each sector keeps its content. The database needs no rewrite. Pages that a
  /// checkpoint could not sync are still in the log, and the first checkpoint after a start writes
  /// all of them again.
  ///
  /// No other program may write to the log at the same time.
  ///
  /// Cost: nothing after an orderly stop, otherwise reading and writing the log.
  ///
  /// - Throws: `locked` if another program writes.
  static func rewriteAndSync(beside address: DatabaseAddress) throws(StoreError) {
    var status = stat()
    guard stat(address.file + "-wal", &status) == 0, status.st_size > 0 else { return }
    let lock = try WriteLock(address)
    defer { lock.end() }
    let log = DatabaseAddress(file: address.file + "-wal", vfs: address.vfs)
    var connection: OpaquePointer?
    // Before its first query, a connection accepts any file as a database.
    let code = sqlite3_open_v2(
      log.path, &connection, SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI, nil)
    defer { sqlite3_close_v2(connection) }
    guard code == SQLITE_OK, let connection else {
      throw .failed(
        reason: "\(log.file) cannot be opened: \(String(cString: sqlite3_errstr(code)))")
    }
    try rewrite(DatabaseFile(connection))
  }

  private static func rewrite(_ file: DatabaseFile) throws(StoreError) {
    let size = try file.size()
    // SQLite's VFS accepts at most a page at a time, and the largest page has this size.
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    var offset: Int64 = 0
    while offset < size {
      if size - offset < Int64(bytes.count) { bytes.removeLast(bytes.count - Int(size - offset)) }
      try file.read(&bytes, at: offset)
      try file.write(bytes, at: offset)
      offset += Int64(bytes.count)
    }
    try file.sync()
  }
}
