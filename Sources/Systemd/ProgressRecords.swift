/// The progress of every subsystem, from which the watchdog decides. This is a pure value, which
/// reads no clock.
///
/// - Complexity: constant for each operation, except `stale`, `late` and `ages`, which visit every
///   subsystem ever added.
package struct ProgressRecords: Sendable {
  /// The subsystems by index; nil for a removed one. The index of a removed subsystem is never used
  /// again.
  private var records: [Progress?] = []
  /// Whether the service has failed permanently, so that the manager must get no keep-alive
  /// message.
  package private(set) var hasFailed = false

  package init() {}

  /// Adds a subsystem and returns its index.
  package mutating func add(
    _ name: String, allowance: Duration, isVital: Bool = true, at now: MonotonicInstant
  ) -> Int {
    records.append(Progress(name, allowance: allowance, isVital: isVital, at: now))
    return records.count - 1
  }

  /// Records a finished step of a subsystem's work.
  package mutating func note(_ index: Int, at now: MonotonicInstant) {
    records[index]?.note(at: now)
  }

  /// Records that a subsystem is idle until a deadline; with nil, until `expect`.
  package mutating func idle(_ index: Int, until deadline: MonotonicInstant?) {
    records[index]?.idle(until: deadline)
  }

  /// Records new work of a subsystem. This has no effect on a working subsystem.
  package mutating func expect(_ index: Int, at now: MonotonicInstant) {
    records[index]?.expect(at: now)
  }

  /// Whether the subsystem has nothing to do.
  package func isUnoccupied(_ index: Int) -> Bool { records[index]?.isUnoccupied ?? false }

  /// Removes a subsystem, whose later reports have no effect.
  package mutating func remove(_ index: Int) {
    records[index] = nil
  }

  /// Records that the service has failed permanently.
  package mutating func fail() {
    hasFailed = true
  }

  /// The time that each subsystem has been without progress, in the order in which they were added.
  package func ages(
    at now: MonotonicInstant
  ) -> [(name: String, age: Duration, allowance: Duration, isVital: Bool)] {
    records.compactMap { record in
      record.map { ($0.name, $0.age(at: now), $0.allowance, $0.isVital) }
    }
  }

  /// The subsystems that have used more than half of their allowance, in the order in which they
  /// were added.
  package func late(at now: MonotonicInstant) -> [LateSubsystem] {
    records.compactMap { record in
      guard let record, record.age(at: now) > record.allowance / 2 else { return nil }
      return LateSubsystem(
        name: record.name, age: record.age(at: now), allowance: record.allowance,
        isVital: record.isVital)
    }
  }

  /// The names of the subsystems whose progress report is overdue, in the order in which they were
  /// added.
  package func stale(at now: MonotonicInstant) -> [String] {
    records.compactMap { record in
      guard let record, record.isStale(at: now) else { return nil }
      return record.name
    }
  }
}
