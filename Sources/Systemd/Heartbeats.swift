import Synchronization

/// The progress of all subsystems, which the watchdog reads.
///
/// A subsystem is vital if a restart would cure its standstill. These subsystems are vital: the
/// engine with its timers and its store, the threads that serve clients, and sinks with their own
/// deadlines. A standstill of another subsystem is only reported. A failing remote or a full disk
/// is not a standstill: the affected subsystem reports the fault and continues to record progress.
///
/// All calls are safe from any thread. A call takes one lock, for which it hardly ever waits.
package final class Heartbeats: Sendable {
  /// Requests a progress report: the subsystem calls `idle(until: nil)` when it handles the
  /// request.
  package typealias Question = @Sendable (ProgressHandle) -> Void

  /// The default limit of the time between two progress reports of a subsystem.
  package let allowance: Duration
  private let records = Mutex(ProgressRecords())
  /// The subsystems that do not report progress by themselves.
  private let questions = Mutex<[(handle: ProgressHandle, ask: Question)]>([])

  package init(allowance: Duration = .seconds(20)) {
    self.allowance = allowance
  }

  /// Sets the limit to three quarters of the manager's watchdog interval. The watchdog checks four
  /// times in an interval, so it notices a standstill before the interval ends.
  package convenience init(for manager: ServiceManager) {
    if let interval = manager.watchdogInterval {
      self.init(allowance: interval * 3 / 4)
    } else {
      self.init()
    }
  }

  /// Adds a subsystem that is working from now on. It counts as stalled after `allowance` without a
  /// progress report.
  package func register(
    _ name: String, allowance: Duration? = nil, isVital: Bool = true, at now: MonotonicInstant
  ) -> ProgressHandle {
    let index = records.withLock {
      $0.add(name, allowance: allowance ?? self.allowance, isVital: isVital, at: now)
    }
    return ProgressHandle(heartbeats: self, index: index)
  }

  /// Adds a subsystem that does not report progress by itself. At each check, the watchdog requests
  /// a progress report by calling `ask`.
  package func register(
    _ name: String, at now: MonotonicInstant, asking ask: @escaping Question
  ) {
    let handle = register(name, at: now)
    handle.idle(until: nil)
    questions.withLock { $0.append((handle, ask)) }
  }

  /// Requests a progress report from each subsystem that does not report progress by itself. Skips
  /// a subsystem that has not answered the previous request yet.
  func ask(at now: MonotonicInstant) {
    for (handle, ask) in questions.withLock(\.self) {
      guard records.withLock({ $0.isUnoccupied(handle.index) }) else { continue }
      handle.expect(at: now)
      ask(handle)
    }
  }

  /// Whether a subsystem has failed permanently.
  package var hasFailed: Bool { records.withLock(\.hasFailed) }

  /// The subsystems that have used more than half of their allowance, in order of registration.
  package func late(at now: MonotonicInstant) -> [LateSubsystem] {
    records.withLock { $0.late(at: now) }
  }

  /// The names of the stalled subsystems, in order of registration.
  package func stale(at now: MonotonicInstant) -> [String] {
    records.withLock { $0.stale(at: now) }
  }

  /// The time that each subsystem has been without progress; zero for an idle subsystem.
  package func ages(
    at now: MonotonicInstant
  ) -> [(name: String, age: Duration, allowance: Duration, isVital: Bool)] {
    records.withLock { $0.ages(at: now) }
  }

  func update(_ change: (inout ProgressRecords) -> Void) {
    records.withLock { change(&$0) }
  }
}
