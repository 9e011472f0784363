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
