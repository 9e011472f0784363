import CivilTime
import GRDB
internal import Glibc
import Store

extension SQLiteStore {
  /// How many numbers of notifications are left out after a loss or a restoration: more than can
  /// have been given out since. What was decided and is lost must not share a delivery's id with
  /// what is decided from now on.
  static let gap: Int64 = 1_000_000_000

  private static let lossNote = "loss"

  /// With what the names begin under which a store or its log of before is put aside.
  static let asidePrefixes = [replacedName, damagedLogName]
  private static let damagedLogName = "damaged-log"

  /// Compares the store with its mark. What is missing is told as the store's `loss`, the log is
  /// put aside before anything is written over it, and no number that is beyond the mark is given
  /// out again. The service starts all the same: no reminders at all would be the greater harm.
  func findLoss() throws(StoreError) {
    loss = try transaction { try $0.note(Self.lossNote).flatMap(StoreLoss.init(note:)) }
    guard let mark = markFile.read() else { return }
    let own = statements.mark
    guard mark.store == own.store else { return }
    guard mark.event > own.event || mark.notification > own.notification else { return }
    let found = StoreLoss(
      events: max(0, mark.event - own.event),
      notifications: max(0, mark.notification - own.notification),
      since: try lastReceipt(), until: markFile.time)
    loss = found
    try putLogAside(as: Self.damagedLogName + "-\(mark.event)-\(mark.notification)")
    statements.nextEvent = max(statements.nextEvent, mark.event + 1)
    statements.nextNotification =
      max(statements.nextNotification, mark.notification + 1) + Self.gap
    try save(found)
  }

  /// When the last event came that the store has.
  private func lastReceipt() throws(StoreError) -> Instant? {
    try withConnection { database in
      let sql = "SELECT received FROM event WHERE received > 0 ORDER BY id DESC LIMIT 1"
      return try Int64.fetchOne(database, sql: sql).map(Instant.init(milliseconds:))
    }
  }

  /// A full disk is no reason not to start; the numbers hold as long as the service runs then.
  private func save(_ loss: StoreLoss) throws(StoreError) {
    do {
      try transaction { transaction in
        try transaction.saveNote("next event", "\(statements.nextEvent)")
        try transaction.saveNote("next notification", "\(statements.nextNotification)")
        try transaction.saveNote(Self.lossNote, loss.note)
      }
    } catch {
      guard error.isPassing else { throw error }
    }
  }

  /// A loss has been told when the service stops as it should.
  func forgetLoss() throws(StoreError) {
    guard loss != nil else { return }
    try transaction { try $0.saveNote(Self.lossNote, "") }
  }

  /// Without room for a copy the log is lost, which helps nobody but who would look into it.
  private func putLogAside(as name: String) throws(StoreError) {
    let log = file + "-wal"
    guard access(log, F_OK) == 0 else { return }
    let copy = directory.path + "/" + name
    do {
      try Self.copy(log, to: copy)
    } catch {
      unlink(copy)
    }
  }
}
