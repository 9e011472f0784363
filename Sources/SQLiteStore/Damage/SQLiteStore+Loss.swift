import CivilTime
import GRDB
internal import Glibc
import Store

extension SQLiteStore {
  /// How many notification numbers are skipped after a loss or a restoration. The number exceeds
  /// the possible number of lost notifications, so that no new delivery gets the id of a lost one.
  static let skipCount: Int64 = 1_000_000_000

  /// The key of the note (a row of `meta`) with the loss.
  private static let lossNote = "loss"

  /// The beginnings of the names of files that are put aside: replaced stores, and the logs of
  /// stores that lost data.
  static let asidePrefixes = [replacedName, damagedLogName]
  private static let damagedLogName = "damaged-log"

  /// Compares the store with its high-water mark. If data is missing, it becomes the store's
  /// `loss`. The log is then copied before it is overwritten, and the numbers up to the mark are
  /// skipped. The service starts all the same: sending no reminders would be worse.
  func findLoss() throws(StoreError) {
    loss = try transaction { try $0.note(Self.lossNote).flatMap(StoreLoss.init(note:)) }
    guard let mark = markFile.read() else { return }
    let storeMark = statements.mark
    guard mark.store == storeMark.store else { return }
    guard mark.event > storeMark.event || mark.notification > storeMark.notification else { return }
    let newLoss = StoreLoss(
      events: max(0, mark.event - storeMark.event),
      notifications: max(0, mark.notification - storeMark.notification),
      since: try lastReceipt(), until: markFile.time)
    loss = newLoss
    try putLogAside(as: Self.damagedLogName + "-\(mark.event)-\(mark.notification)")
    statements.nextEvent = max(statements.nextEvent, mark.event + 1)
    statements.nextNotification =
      max(statements.nextNotification, mark.notification + 1) + Self.skipCount
    try save(newLoss)
  }

  /// When the last event in the store was received.
  private func lastReceipt() throws(StoreError) -> Instant? {
    try withConnection { database in
      let sql = "SELECT received FROM event WHERE received > 0 ORDER BY id DESC LIMIT 1"
      return try Int64.fetchOne(database, sql: sql).map(Instant.init(milliseconds:))
    }
  }

  /// Saves the loss and the next numbers. A full disk does not prevent a start; the next numbers
  /// are then known only in memory, until the service stops.
  private func save(_ loss: StoreLoss) throws(StoreError) {
    do {
      try transaction { transaction in
        try transaction.saveNote("next event", "\(statements.nextEvent)")
        try transaction.saveNote("next notification", "\(statements.nextNotification)")
        try transaction.saveNote(Self.lossNote, loss.note)
      }
    } catch {
      guard error.isTemporary else { throw error }
    }
  }

  /// Deletes the note of the loss at an orderly stop, because the loss has been reported.
  func forgetLoss() throws(StoreError) {
    guard loss != nil else { return }
    try transaction { try $0.saveNote(Self.lossNote, "") }
  }

  /// Copies the log for an investigation. Without space for the copy, the log is lost.
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
