import GRDBSQLite
import Store

/// A connection to a database without a queue: the service opens and closes it as it runs, and with
/// the first queue that goes libdispatch looks after its threads each second for good.
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
    sqlite3_busy_timeout(handle, 5_000)
  }

  deinit { sqlite3_close_v2(handle) }

  /// Puts all of another database, as it is at one instant, in the place of what is here.
  func copy(from source: PlainConnection) throws(StoreError) {
    guard let backup = sqlite3_backup_init(handle, "main", source.handle, "main") else {
      throw error(sqlite3_errcode(handle))
    }
    let stepped = sqlite3_backup_step(backup, -1)
    let finished = sqlite3_backup_finish(backup)
    guard stepped == SQLITE_DONE, finished == SQLITE_OK else {
      throw error(stepped == SQLITE_DONE ? finished : stepped)
    }
  }

  /// Moves what is in the log into the database, as far as nobody reads what was before; commits
  /// of other connections go on meanwhile.
  ///
  /// - Returns: how many pages of the log are in the database.
  func checkpoint() throws(StoreError) -> Int {
    // Else what is moved might be given up before it is on the disk.
    let code = sqlite3_exec(handle, "PRAGMA synchronous = FULL", nil, nil, nil)
    guard code == SQLITE_OK else { throw error(code) }
    var moved: Int32 = 0
    let ended = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, &moved)
    guard ended == SQLITE_OK else { throw error(ended) }
    return Int(moved)
  }

  private func error(_ code: Int32) -> StoreError {
    let reason = String(cString: sqlite3_errstr(code))
    return switch code & 0xFF {
    case SQLITE_FULL: .full(reason: reason)
    case SQLITE_CORRUPT, SQLITE_NOTADB: .damaged(file: file, reason: reason)
    default: .failed(reason: "\(file): \(reason)")
    }
  }
}
