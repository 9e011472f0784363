package import CivilTime
import GRDB
import GRDBSQLite
package import Store

extension SQLiteStore {
  /// The time of the first erasure whose data may still be readable in the files; nil if there is
  /// none. Such data is in the log, or in unused bytes of pages.
  package var erasureOpen: Instant? { statements.erasureOpen }

  /// A new cleaner of the files, for this thread or another.
  package var cleaner: any StoreCleaner { FileCleaner(queue, statements, checkpointer) }

  /// Completes erasures (rule H4) in one call. An interruption is harmless: the next start
  /// completes them.
  ///
  /// - Returns: whether the files are clean. If false, another program reads or locks the database,
  ///   or the disk is full: try again.
  /// - Throws: the failure, usually of the disk. Earlier commits stay valid, and the erasure
  ///   remains to be completed.
  /// - Complexity: reads the database once.
  package func finishErasure() throws(StoreError) -> Bool {
    let cleaner = cleaner
    do {
      while true {
        switch try cleaner.step() {
        case .more: continue
        case .busy:
          cleaner.abandon()
          return false
        case .done(let erasures):
          try endErasures(erasures)
          return !isErasureOpen
        }
      }
    } catch let error where error.isTemporary {
      cleaner.abandon()
      return false
    } catch .failed(let reason) {
      throw .failed(reason: "cleaning the files of erased data: \(reason)")
    }
  }

  /// Records that the files are clean, unless another recipient has been erased meanwhile.
  ///
  /// - Parameter erasures: the number of erasures since the start of the process, as the cleaner
  ///   reported it.
  package func endErasures(_ erasures: Int) throws(StoreError) {
    guard erasures == statements.erasures else { return }
    try transaction { try $0.saveNote(StoreTransaction.erasureNote, "") }
    statements.erasureOpen = nil
  }
}
