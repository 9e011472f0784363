import Glibc
import Store
import Synchronization
import Systemd

/// At startup, waits while the store is unavailable: its server may still be starting, or the disk
/// may be full.
final class StoreWait: Sendable {
  /// The delay between two attempts, in milliseconds.
  private static let pause: Int32 = 2_000
  /// The time from an attempt to the end of the start's timeout. Each attempt extends the timeout.
  static let timeout = Duration.seconds(60)
  /// The subject of the remark in `systemctl status`.
  private static let subject = "store"

  private let watch: StartWatch
  private let manager: ServiceManager
  private let journal: Journal
  private let board: StatusBoard

  /// The resource that the last attempt lacked, and the number of consecutive attempts that failed
  /// for lack of it; nil before the first failure.
  private let lastFailure = Mutex<(resource: String, attempts: Int)?>(nil)

  init(watch: StartWatch, manager: ServiceManager, journal: Journal, board: StatusBoard) {
    (self.watch, self.manager, self.journal, self.board) = (watch, manager, journal, board)
  }

  /// Reports the error and blocks for 2 seconds, until the next attempt is due.
  ///
  /// - Returns: whether to try again. Returns false without waiting if the error does not resolve
  ///   by itself.
  func pauseBeforeRetry(after error: StoreError) -> Bool {
    guard let resource = MissingResource(error) else { return false }
    report(resource, attempt: count(resource))
    _ = poll(nil, 0, Self.pause)
    return true
  }

  /// Clears the remark in the status.
  func end() { board.remark(on: Self.subject, nil) }

  /// - Returns: the number of consecutive attempts that failed for lack of this resource.
  private func count(_ resource: MissingResource) -> Int {
    lastFailure.withLock { lastFailure in
      let isRepeated = lastFailure?.resource == resource.name
      let previousAttempts = isRepeated ? lastFailure?.attempts ?? 0 : 0
      lastFailure = (resource.name, previousAttempts + 1)
      return previousAttempts + 1
    }
  }

  private func report(_ resource: MissingResource, attempt: Int) {
    let remark = "waiting for \(resource.name): \(resource.reason)"
    board.remark(on: Self.subject, remark)
    watch.enter("attempt \(attempt), \(remark)", isWaiting: true)
    manager.extendTimeout(by: Self.timeout)
    // Log once, not at each attempt.
    guard attempt == 1 else { return }
    journal.send(
      resource.kind, "no requests are served until \(resource.end): \(resource.reason)",
      fields: [(.reason, resource.reason)])
  }
}

/// The missing resource that a start waits for.
private struct MissingResource {
  let name: String
  /// The condition that ends the wait, as a clause of a message.
  let end: String
  let kind: MessageKind
  let reason: String

  /// Finds the missing resource; nil for an error that does not resolve by itself.
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
