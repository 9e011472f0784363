import Synchronization

/// Where subsystems show that they get on with their work, for the watchdog to read.
///
/// A subsystem is vital if a restart would cure its standing still: the engine with its wheel and
/// its store, the threads that serve clients, a sink that keeps deadlines of its own. The others
/// are told of and no more. A remote that fails or a disk that is full is not standing still: who
/// meets one reports it, and goes on giving notes.
///
/// Safe to use from any thread; a call is one uncontended lock.
package final class Heartbeats: Sendable {
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
    return ProgressHandle(heartbeats: self, index: index)
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

/// What every subsystem has shown of its progress: the decision behind the watchdog, as a value
/// that reads no clock.
///
/// - Complexity: every operation is constant but `stale`, which looks at each subsystem that was
///   ever added.
package struct ProgressRecords: Sendable {
  /// By index; nil once removed. Places are not used again, so an index never means another.
  private var records: [Progress?] = []
  /// Whether the service cannot go on: nothing of it is to look alive any more.
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

  /// Whether it has nothing to do.
  package func isUnoccupied(_ index: Int) -> Bool { records[index]?.isUnoccupied ?? false }

  package mutating func remove(_ index: Int) {
    records[index] = nil
  }

  package mutating func fail() {
    hasFailed = true
  }

  /// For how long each has owed a note, in the order they were added.
  package func ages(
    at now: MonotonicInstant
  ) -> [(name: String, age: Duration, allowance: Duration, isVital: Bool)] {
    records.compactMap { record in
      record.map { ($0.name, $0.age(at: now), $0.allowance, $0.isVital) }
    }
  }

  /// Those that have used up more than half of their allowance, in the order they were added.
  package func late(at now: MonotonicInstant) -> [LatePart] {
    records.compactMap { record in
      guard let record, record.age(at: now) > record.allowance / 2 else { return nil }
      return LatePart(
        name: record.name, age: record.age(at: now), allowance: record.allowance,
        isVital: record.isVital)
    }
  }

  /// The names of those that should have given a note by now, in the order they were added.
  package func stale(at now: MonotonicInstant) -> [String] {
    records.compactMap { record in
      guard let record, record.isStale(at: now) else { return nil }
      return record.name
    }
  }
}
