package import CivilTime
import GRDB
import GRDBSQLite

extension SQLiteStore {
  /// Whether somebody has been erased who may still be read in the files: in the log, or where a
  /// page has nothing now.
  package var isErasureOpen: Bool { statements.erasureOpen != nil }

  /// When the first of them was erased; nil if none is open.
  package var erasureOpen: Instant? { statements.erasureOpen }

  /// Ends erasures (rule H4): works the log into the database and empties it, and zeroes what no
  /// page uses. To be cut off does no harm: the next start does it again.
  ///
  /// - Returns: whether it is done; false while another program reads the database or the disk is
  ///   full, and then it is to be tried again.
  /// - Throws: what failed, of the disk as a rule. Everything that was committed before stays so,
  ///   and the erasure stays open.
  /// - Complexity: reads the database once.
  package func finishErasure() throws(StoreError) -> Bool {
    do {
      guard try withConnection(Self.clean) else { return false }
      try transaction { try $0.saveNote(StoreTransaction.erasureNote, "") }
    } catch .full {
      return false
    } catch .failed(let reason) {
      throw .failed(reason: "cleaning the files of who was erased: \(reason)")
    }
    statements.erasureOpen = nil
    return true
  }

  /// - Returns: false while another program reads the database.
  private static func clean(_ database: Database) throws -> Bool {
    // Whoever reads is not waited for: commits would wait as well.
    sqlite3_busy_timeout(database.sqliteConnection, 0)
    defer { sqlite3_busy_timeout(database.sqliteConnection, SQLiteStore.patience) }
    do {
      _ = try database.checkpoint(.truncate)
    } catch let error as DatabaseError where error.isBusy {
      return false
    }
    // What is kept of pages in memory would be written back one day, gaps and all.
    sqlite3_db_release_memory(database.sqliteConnection)
    try PageGaps.zero(in: DatabaseFile(database))
    return true
  }
}

extension DatabaseError {
  /// Whether another connection is in the way.
  var isBusy: Bool { [.SQLITE_BUSY, .SQLITE_LOCKED].contains(resultCode) }
}
