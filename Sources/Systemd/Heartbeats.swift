import Synchronization

/// The progress of all subsystems, which the watchdog reads.
///
/// A subsystem is vital if a restart would cure its standstill: the engine with its timers and its
/// store, the threads that serve clients, a sink with deadlines of its own. Others are only
/// reported. A failing remote or a full disk is not a standstill: the subsystem that meets one
/// reports it and continues to note progress.
///
/// Safe to use from any thread; a call takes one uncontended lock.
package final class Heartbeats: Sendable {
  /// Requests a sign of life: the subsystem calls `idle(until: nil)` when it gets to it.
  package typealias Question = @Sendable (ProgressHandle) -> Void

  /// The default limit of the time between two notes of a subsystem.
  package let allowance: Duration
  private let records = Mutex(ProgressRecords())
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

  /// Adds a subsystem that is working from now on. It is stalled after `allowance` without a note.
  package func register(
    _ name: String, allowance: Duration? = nil, isVital: Bool = true, at now: MonotonicInstant
  ) -> ProgressHandle {
    let index = records.withLock {
      $0.add(name, allowance: allowance ?? self.allowance, isVital: isVital, at: now)
    }
    return ProgressHandle(heartbeats: self, index: index)
  }

  /// Adds a subsystem without work of its own. The watchdog asks it for a sign of life at each
  /// check.
  package func register(
    _ name: String, at now: MonotonicInstant, asking ask: @escaping Question
  ) {
    let handle = register(name, at: now)
    handle.idle(until: nil)
    questions.withLock { $0.append((handle, ask)) }
  }

  /// Asks the registered questions, except those that are not answered yet.
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
  package func late(at now: MonotonicInstant) -> [LatePart] {
    records.withLock { $0.late(at: now) }
  }

  /// The names of the stalled subsystems, in order of registration.
  package func stale(at now: MonotonicInstant) -> [String] {
    records.withLock { $0.stale(at: now) }
  }

  /// The time since each subsystem's note was due; zero for an idle one.
  package func ages(
    at now: MonotonicInstant
  ) -> [(name: String, age: Duration, allowance: Duration, isVital: Bool)] {
    records.withLock { $0.ages(at: now) }
  }

  func update(_ change: (inout ProgressRecords) -> Void) {
    records.withLock { change(&$0) }
  }
}

/// The progress of every subsystem: the decision behind the watchdog, as a value that reads no
/// clock.
///
/// - Complexity: constant for each operation, except `stale`, `late` and `ages`, which visit every
///   subsystem ever added.
package struct ProgressRecords: Sendable {
  /// The subsystems by index; nil once removed. An index is never used again.
  private var records: [Progress?] = []
  /// Whether the service cannot continue, so that the manager must get no sign of life.
  package private(set) var hasFailed = false

  package init() {}

  /// Adds a subsystem and returns its index.
  package mutating func add(
    _ name: String, allowance: Duration, isVital: Bool = true, at now: MonotonicInstant
  ) -> Int {
    records.append(Progress(name, allowance: allowance, isVital: isVital, at: now))
    return records.count - 1
  }

  package mutating func note(_ index: Int, at now: MonotonicInstant) {
    records[index]?.note(at: now)
  }

  package mutating func idle(_ index: Int, until deadline: MonotonicInstant?) {
    records[index]?.idle(until: deadline)
  }

  package mutating func expect(_ index: Int, at now: MonotonicInstant) {
    records[index]?.expect(at: now)
  }

  /// Whether the subsystem has nothing to do.
  package func isUnoccupied(_ index: Int) -> Bool { records[index]?.isUnoccupied ?? false }

  package mutating func remove(_ index: Int) {
    records[index] = nil
  }

  package mutating func fail() {
    hasFailed = true
  }

  /// The time since each subsystem's note was due, in the order in which they were added.
  package func ages(
    at now: MonotonicInstant
  ) -> [(name: String, age: Duration, allowance: Duration, isVital: Bool)] {
    records.compactMap { record in
      record.map { ($0.name, $0.age(at: now), $0.allowance, $0.isVital) }
    }
  }

  /// The subsystems that have used more than half of their allowance, in the order in which they
  /// were added.
  package func late(at now: MonotonicInstant) -> [LatePart] {
    records.compactMap { record in
      guard let record, record.age(at: now) > record.allowance / 2 else { return nil }
      return LatePart(
        name: record.name, age: record.age(at: now), allowance: record.allowance,
        isVital: record.isVital)
    }
  }

  /// The names of the subsystems whose note is overdue, in the order in which they were added.
  package func stale(at now: MonotonicInstant) -> [String] {
    records.compactMap { record in
      guard let record, record.isStale(at: now) else { return nil }
      return record.name
    }
  }
}
