import GRDB
import GRDBSQLite

extension SQLiteStore {
  /// Whether somebody has been erased who may still be read in the files: in the log, or where a
  /// page has nothing now.
  package var isErasureOpen: Bool { statements.isErasureOpen }

  /// Ends erasures (rule H4): works the log into the database and empties it, and zeroes what no
  /// page uses. To be cut off does no harm: the next start does it again.
  ///
  /// - Returns: whether it is done; false while another program reads the database or the disk is
  ///   full, and then it is to be tried again.
  /// - Complexity: reads the database once.
  package func finishErasure() throws(StoreError) -> Bool {
    do {
      try queue.writeWithoutTransaction { database in
        _ = try database.checkpoint(.truncate)
        // What is kept of pages in memory would be written back one day, gaps and all.
        sqlite3_db_release_memory(database.sqliteConnection)
        try PageGaps.zero(in: DatabaseFile(database))
      }
    } catch let error as DatabaseError
      where [ResultCode.SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_FULL].contains(error.resultCode)
    {
      return false
    } catch {
      throw StoreError(error, file: file)
    }
    statements.isErasureOpen = false
    try transaction { try $0.saveNote(StoreTransaction.erasureNote, "") }
    return true
  }
}
