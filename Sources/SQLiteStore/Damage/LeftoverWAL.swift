import CSQLite
import GRDBSQLite
internal import Glibc
import Store

/// The lock of a database by which one connection writes at a time.
private struct WriteLock {
  private let connection: OpaquePointer?

  /// A file that is no database has no lock, which opening it will say.
  init(_ address: DatabaseAddress) throws(StoreError) {
    var connection: OpaquePointer?
    sqlite3_open_v2(
      address.path, &connection, SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI, nil)
    self.connection = connection
    if let connection { _ = chime_sqlite_leave_log(connection) }
    sqlite3_busy_timeout(connection, SQLiteStore.patience)
    let code = sqlite3_exec(connection, "BEGIN IMMEDIATE", nil, nil, nil)
    guard [SQLITE_BUSY, SQLITE_LOCKED].contains(code) else { return }
    end()
    throw .locked(reason: String(cString: sqlite3_errstr(code)))
  }

  func end() { sqlite3_close_v2(connection) }
}

/// The write-ahead log that a process has left behind, which a start goes on with.
///
/// It may not be on the disk, though it can be read: a process that was killed had not synced all
/// of it, and after a sync that failed Linux counts pages as clean that the disk has not taken, so
/// that no later sync writes them (fsync(2), "EIO"). SQLite reads it, trusts it and writes behind
/// it. A power cut would then take it away, and with it every event that was acknowledged since.
enum LeftoverWAL {
  /// Writes the log once more, byte for byte, and syncs it. A power cut meanwhile leaves each
  /// sector as it was or as it is. The database needs none of that: what a checkpoint could not
  /// sync is still in the log, and the first one after a start writes all of it again.
  ///
  /// Meanwhile nobody else may write to the log, be it another program.
  ///
  /// Cost: nothing after a stop as it should be, else reading and writing the log.
  ///
  /// - Throws: `locked` if somebody does.
  static func secure(beside address: DatabaseAddress) throws(StoreError) {
    var status = stat()
    guard stat(address.file + "-wal", &status) == 0, status.st_size > 0 else { return }
    let lock = try WriteLock(address)
    defer { lock.end() }
    let log = DatabaseAddress(file: address.file + "-wal", vfs: address.vfs)
    var connection: OpaquePointer?
    // As long as nothing is asked of it, the connection takes any file for a database.
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
    // SQLite's own way to the disk takes no more than a page at a time, which is at most as long.
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    var place: Int64 = 0
    while place < size {
      if size - place < Int64(bytes.count) { bytes.removeLast(bytes.count - Int(size - place)) }
      try file.read(&bytes, at: place)
      try file.write(bytes, at: place)
      place += Int64(bytes.count)
    }
    try file.sync()
  }
}
