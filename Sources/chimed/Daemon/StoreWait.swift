import Glibc
import Store
import Synchronization
import Systemd

/// Waits in a start for a store that is only away: a server that starts later than this machine,
/// or a disk on which somebody has to make room, is no reason to give up.
final class StoreWait: Sendable {
  /// How long after an attempt there is another, in milliseconds.
  private static let pause: Int32 = 2_000
  /// How long the manager has to wait for the next attempt of a start.
  static let patience = Duration.seconds(60)
  private static let subject = "store"

  private let watch: StartWatch
  private let manager: ServiceManager
  private let journal: Journal
  private let board: StatusBoard

  /// What was said to be waited for; nil while nothing is.
  private let waited = Mutex<(absence: String, attempts: Int)?>(nil)

  init(watch: StartWatch, manager: ServiceManager, journal: Journal, board: StatusBoard) {
    (self.watch, self.manager, self.journal, self.board) = (watch, manager, journal, board)
  }

  /// Returns when to try again.
  ///
  /// - Returns: whether to do so; false for what no waiting mends.
  func waits(for error: StoreError) -> Bool {
    guard let absence = StoreAbsence(error) else { return false }
    tell(absence, attempt: count(absence))
    _ = poll(nil, 0, Self.pause)
    return true
  }

  /// Nothing is waited for any more.
  func end() { board.remark(on: Self.subject, nil) }

  /// - Returns: how often the same was so in a row.
  private func count(_ absence: StoreAbsence) -> Int {
    waited.withLock { waited in
      let before = waited?.absence == absence.name ? waited?.attempts ?? 0 : 0
      waited = (absence.name, before + 1)
      return before + 1
    }
  }

  private func tell(_ absence: StoreAbsence, attempt: Int) {
    let remark = "waiting for \(absence.name): \(absence.reason)"
    board.remark(on: Self.subject, remark)
    watch.enter("attempt \(attempt), \(remark)", isWaiting: true)
    manager.extendTimeout(by: Self.patience)
    // Once, however often it is tried.
    guard attempt == 1 else { return }
    journal.send(
      absence.kind, "nobody is served until \(absence.end): \(absence.reason)",
      fields: [(.reason, absence.reason)])
  }
}

/// What a start waits for.
private struct StoreAbsence {
  let name: String
  /// When it is over.
  let end: String
  let kind: MessageKind
  let reason: String

  /// Nil for what does not pass by itself.
  init?(_ error: StoreError) {
    switch error {
    case .unreachable:
      (name, end, kind) = ("PostgreSQL", "PostgreSQL can be used", .fleetUnreachable)
    case .full: (name, end, kind) = ("room", "the disk has room again", .storageFull)
    case .locked:
      (name, end, kind) = ("the store's lock", "the store is free", .storeLocked)
    default: return nil
    }
    reason = error.description
  }
}
