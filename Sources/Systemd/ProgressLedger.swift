import Synchronization

/// Where subsystems show that they get on with their work, for the watchdog to read.
///
/// A subsystem belongs here if a restart would cure its standing still: the wheel, the store's
/// writer, the acceptor, each sink's lane. A remote that fails or a disk that is full is not
/// standing still: who meets one reports it, and goes on giving notes.
///
/// Safe to use from any thread; a call is one uncontended lock.
package final class ProgressLedger: Sendable {
  private let records = Mutex(ProgressRecords())

  package init() {}

  /// Adds a subsystem that is at work from now on. It counts as stalled once it has given no note
  /// for longer than `allowance`.
  package func register(
    _ name: String, allowance: Duration, at now: MonotonicInstant
  ) -> ProgressHandle {
    let index = records.withLock { $0.add(name, allowance: allowance, at: now) }
    return ProgressHandle(ledger: self, index: index)
  }

  /// The names of the subsystems that stand still, in the order they registered.
  package func stale(at now: MonotonicInstant) -> [String] {
    records.withLock { $0.stale(at: now) }
  }

  /// For how long each subsystem has owed a note, zero for one at rest.
  package func ages(at now: MonotonicInstant) -> [(name: String, age: Duration)] {
    records.withLock { $0.ages(at: now) }
  }

  func update(_ change: (inout ProgressRecords) -> Void) {
    records.withLock { change(&$0) }
  }
}
