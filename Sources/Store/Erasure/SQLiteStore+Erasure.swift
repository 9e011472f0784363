package import CivilTime

extension SQLiteStore {
  /// Whether somebody has been erased who may still be read in the files: in the log, or where a
  /// page has nothing now.
  package var isErasureOpen: Bool { statements.erasureOpen != nil }

  /// When the first of them was erased; nil if none is open.
  package var erasureOpen: Instant? { statements.erasureOpen }

  /// What cleans the files, on this thread or another.
  package var cleaner: FileCleaner { FileCleaner(queue, statements) }

  /// Ends erasures (rule H4) in one go. To be cut off does no harm: the next start does it again.
  ///
  /// - Returns: whether it is done; false while another program reads the database or the disk is
  ///   full, and then it is to be tried again.
  /// - Throws: what failed, of the disk as a rule. Everything that was committed before stays so,
  ///   and the erasure stays open.
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
    } catch .full {
      cleaner.abandon()
      return false
    } catch .failed(let reason) {
      throw .failed(reason: "cleaning the files of who was erased: \(reason)")
    }
  }

  /// Notes that the files are clean, unless somebody has been erased since.
  ///
  /// - Parameter erasures: how many had been since the start, as the cleaner has told.
  package func endErasures(_ erasures: Int) throws(StoreError) {
    guard erasures == statements.erasures else { return }
    try transaction { try $0.saveNote(StoreTransaction.erasureNote, "") }
    statements.erasureOpen = nil
  }
}
