import Synchronization

/// Where subsystems show that they get on with their work, for the watchdog to read.
///
/// A subsystem is vital if a restart would cure its standing still: the engine with its wheel and
/// its store, the threads that serve clients, a sink that keeps deadlines of its own. The others
/// are told of and no more. A remote that fails or a disk that is full is not standing still: who
/// meets one reports it, and goes on giving notes.
///
/// Safe to use from any thread; a call is one uncontended lock.
package final class ProgressLedger: Sendable {
  /// Asks a subsystem for a sign of life: it calls `idle(until: nil)` when it comes to it.
  package typealias Question = @Sendable (ProgressHandle) -> Void

  /// How long a subsystem may take to a note unless it is given another time.
  package let allowance: Duration
  private let records = Mutex(ProgressRecords())
  private let questions = Mutex<[(handle: ProgressHandle, ask: Question)]>([])

  package init(allowance: Duration = .seconds(20)) {
    self.allowance = allowance
  }

  /// The watchdog looks four times in the manager's interval: who stands still for three quarters
  /// of it is noticed before it is over.
  package convenience init(for manager: ServiceManager) {
    if let interval = manager.watchdogInterval {
      self.init(allowance: interval * 3 / 4)
    } else {
      self.init()
    }
  }

  /// Adds a subsystem that is at work from now on. It counts as stalled once it has given no note
  /// for longer than `allowance`.
  package func register(
    _ name: String, allowance: Duration? = nil, isVital: Bool = true, at now: MonotonicInstant
  ) -> ProgressHandle {
    let index = records.withLock {
      $0.add(name, allowance: allowance ?? self.allowance, isVital: isVital, at: now)
    }
    return ProgressHandle(ledger: self, index: index)
  }

  /// Adds a subsystem that has nothing to do of its own, and is asked for a sign of life each time
  /// the watchdog turns.
  package func register(
    _ name: String, at now: MonotonicInstant, asking ask: @escaping Question
  ) {
    let handle = register(name, at: now)
    handle.idle(until: nil)
    questions.withLock { $0.append((handle, ask)) }
  }

  /// Asks those that are to be asked, but for who has not answered the last time.
  func ask(at now: MonotonicInstant) {
    for (handle, ask) in questions.withLock(\.self) {
      guard records.withLock({ $0.isUnoccupied(handle.index) }) else { continue }
      handle.expect(at: now)
      ask(handle)
    }
  }

  /// Whether a subsystem has failed for good.
  package var hasFailed: Bool { records.withLock(\.hasFailed) }

  /// Those that have used up more than half of their allowance, in the order they registered.
  package func late(at now: MonotonicInstant) -> [LatePart] {
    records.withLock { $0.late(at: now) }
  }

  /// The names of the subsystems that stand still, in the order they registered.
  package func stale(at now: MonotonicInstant) -> [String] {
    records.withLock { $0.stale(at: now) }
  }

  /// For how long each subsystem has owed a note, zero for one at rest.
  package func ages(
    at now: MonotonicInstant
  ) -> [(name: String, age: Duration, allowance: Duration, isVital: Bool)] {
    records.withLock { $0.ages(at: now) }
  }

  func update(_ change: (inout ProgressRecords) -> Void) {
    records.withLock { change(&$0) }
  }
}
