import Glibc
import Store
import Synchronization
import Systemd

/// At startup, waits while the store is unavailable: its server may still be starting, or the disk
/// may be full.
final class StoreWait: Sendable {
  /// The delay between two attempts, in milliseconds.
  private static let pause: Int32 = 2_000
  /// How long after each attempt the start's timeout ends: each attempt extends the timeout.
  static let timeout = Duration.seconds(60)
  private static let subject = "store"

  private let watch: StartWatch
  private let manager: ServiceManager
  private let journal: Journal
  private let board: StatusBoard

  /// The awaited resource, and the number of consecutive attempts that failed for lack of it; nil
  /// before the first attempt.
  private let waited = Mutex<(absence: String, attempts: Int)?>(nil)

  init(watch: StartWatch, manager: ServiceManager, journal: Journal, board: StatusBoard) {
    (self.watch, self.manager, self.journal, self.board) = (watch, manager, journal, board)
  }

  /// Reports the error and waits until the next attempt is due.
  ///
  /// - Returns: whether to try again; false, at once, for an error that does not pass by itself.
  func waits(for error: StoreError) -> Bool {
    guard let absence = StoreAbsence(error) else { return false }
    report(absence, attempt: count(absence))
    _ = poll(nil, 0, Self.pause)
    return true
  }

  /// Clears the remark in the status.
  func end() { board.remark(on: Self.subject, nil) }

  /// - Returns: the number of consecutive attempts that failed for lack of this resource.
  private func count(_ absence: StoreAbsence) -> Int {
    waited.withLock { waited in
      let before = waited?.absence == absence.name ? waited?.attempts ?? 0 : 0
      waited = (absence.name, before + 1)
      return before + 1
    }
  }

  private func report(_ absence: StoreAbsence, attempt: Int) {
    let remark = "waiting for \(absence.name): \(absence.reason)"
    board.remark(on: Self.subject, remark)
    watch.enter("attempt \(attempt), \(remark)", isWaiting: true)
    manager.extendTimeout(by: Self.timeout)
    // Log once, not at each attempt.
    guard attempt == 1 else { return }
    journal.send(
      absence.kind, "no requests are served until \(absence.end): \(absence.reason)",
      fields: [(.reason, absence.reason)])
  }
}

/// The missing resource that a start waits for.
private struct StoreAbsence {
  let name: String
  /// The condition that ends the wait, as a clause of a message.
  let end: String
  let kind: MessageKind
  let reason: String

  /// Finds the missing resource; nil for an error that does not pass by itself.
  init?(_ error: StoreError) {
    switch error {
    case .unreachable:
      (name, end, kind) = ("PostgreSQL", "PostgreSQL can be used", .fleetUnreachable)
    case .full: (name, end, kind) = ("disk space", "the disk has room again", .storageFull)
    case .locked:
      (name, end, kind) = ("the store's lock", "the store is free", .storeLocked)
    default: return nil
    }
    reason = error.description
  }
}
