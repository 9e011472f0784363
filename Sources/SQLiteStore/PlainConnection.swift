import CSQLite
import GRDB
import GRDBSQLite
import Store

/// A connection without a dispatch queue. It suits connections that the service opens and closes as
/// it runs. Once a queue has been released, libdispatch wakes every second to manage its threads.
final class PlainConnection {
  private let file: String
  private let handle: OpaquePointer?

  init(_ address: DatabaseAddress, isReadOnly: Bool) throws(StoreError) {
    file = address.file
    var handle: OpaquePointer?
    let flags = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
    let code = sqlite3_open_v2(file, &handle, flags | SQLITE_OPEN_NOMUTEX, address.vfs)
    self.handle = handle
    guard code == SQLITE_OK else { throw error(code) }
    sqlite3_busy_timeout(handle, SQLiteStore.lockTimeout)
  }

  deinit { sqlite3_close_v2(handle) }

  /// Replaces the content of this database by a snapshot of another one.
  func copy(from source: PlainConnection) throws(StoreError) {
    guard let backup = sqlite3_backup_init(handle, "main", source.handle, "main") else {
      throw error(sqlite3_errcode(handle))
    }
    let stepCode = sqlite3_backup_step(backup, -1)
    let finishCode = sqlite3_backup_finish(backup)
    guard stepCode == SQLITE_DONE, finishCode == SQLITE_OK else {
      throw error(stepCode == SQLITE_DONE ? finishCode : stepCode)
    }
  }

  /// Moves the log into the database, except pages that a snapshot still reads; commits of other
  /// connections continue meanwhile.
  ///
  /// - Returns: the number of the log's pages that are in the database on disk; 0 if none could be
  ///   moved.
  /// - Throws: the reason why the moved pages are not on disk.
  func checkpoint() throws(StoreError) -> Int {
    guard let handle, chime_sqlite_leave_log(handle),
      // The statement also reads the schema. Before that, the connection knows of no log to move.
      sqlite3_exec(handle, "PRAGMA synchronous = FULL", nil, nil, nil) == SQLITE_OK
    else { return 0 }
    var moved: Int32 = 0
    let code = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, &moved)
    let cause = sqlite3_extended_errcode(handle)
    if code != SQLITE_OK, cause == ResultCode.SQLITE_IOERR_FSYNC.rawValue {
      throw .failed(reason: "\(file): \(String(cString: sqlite3_errstr(cause))) on syncing")
    }
    guard code == SQLITE_OK, moved > 0 else { return 0 }
    // SQLite syncs the database only if it has moved the whole log. But it counts every moved page
    // as moved, even if the page is not synced.
    try DatabaseFile(handle).sync()
    return Int(moved)
  }

  /// Returns the error for a result code of SQLite.
  private func error(_ code: Int32) -> StoreError {
    let reason = String(cString: sqlite3_errstr(code))
    return switch code & 0xFF {
    case SQLITE_FULL: .full(reason: reason)
    case SQLITE_BUSY, SQLITE_LOCKED: .locked(reason: reason)
    case SQLITE_CORRUPT, SQLITE_NOTADB: .damaged(file: file, reason: reason)
    default: .failed(reason: "\(file): \(reason)")
    }
  }
}
