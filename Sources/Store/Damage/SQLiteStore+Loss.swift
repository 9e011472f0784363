package import CivilTime
import GRDB
internal import Glibc

extension SQLiteStore {
  /// How many numbers of notifications are left out after a loss or a restoration: more than can
  /// have been given out since. What was decided and is lost must not share a delivery's id with
  /// what is decided from now on.
  static let gap: Int64 = 1_000_000_000

  private static let lossNote = "loss"

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
    try putLogAside(as: "damaged-log-\(mark.event)-\(mark.notification)")
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
      guard case .full = error else { throw error }
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

/// What a store had acknowledged and has no more: its log was damaged, or an older file has been
/// put in its place.
package struct StoreLoss: Hashable, Sendable, CustomStringConvertible {
  /// How many events and how many notifications, at least.
  package let events: Int64
  package let notifications: Int64
  /// When the last event came that is left; nil if none is.
  package let since: Instant?
  /// When the last was acknowledged that the store had, as far as that is known.
  package let until: Instant?

  package init(events: Int64, notifications: Int64, since: Instant?, until: Instant?) {
    self.events = events
    self.notifications = notifications
    self.since = since
    self.until = until
  }

  /// "12 events and 3 notifications; apps should report again what happened since ..., when the
  /// last event came that is left".
  package var description: String {
    let report =
      since.map { "what happened since \($0), when the last event came that is left" }
      ?? "everything, for no event is left"
    let end = until.map { " (the last was acknowledged at \($0))" } ?? ""
    return "\(events) events and \(notifications) notifications\(end); apps should report again "
      + report
  }

  /// Reads what `note` wrote.
  init?(note: String) {
    let fields = note.split(separator: " ").map(String.init)
    guard fields.count == 4, let events = Int64(fields[0]), let notifications = Int64(fields[1])
    else { return nil }
    func instant(_ field: String) -> Instant? { Int64(field).map(Instant.init(milliseconds:)) }
    self.init(
      events: events, notifications: notifications, since: instant(fields[2]),
      until: instant(fields[3]))
  }

  var note: String {
    func field(_ time: Instant?) -> String { time.map { "\($0.milliseconds)" } ?? "-" }
    return "\(events) \(notifications) \(field(since)) \(field(until))"
  }
}
