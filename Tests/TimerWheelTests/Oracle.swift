/// The reference implementation of a timer wheel: it searches all timers at each call.
struct Oracle {
  private(set) var pending: [Expiry] = []

  mutating func insert(deadline: Int64, payload: UInt32) {
    pending.append(Expiry(deadline: deadline, payload: payload))
  }

  mutating func cancel(payload: UInt32) -> Bool {
    let countBefore = pending.count
    pending.removeAll { $0.payload == payload }
    return pending.count < countBefore
  }

  mutating func expire(to now: Int64) -> [Expiry] {
    let due = pending.filter { $0.deadline <= now }
    pending.removeAll { $0.deadline <= now }
    return due.sorted()
  }

  func earliest() -> Int64? { pending.map(\.deadline).min() }

  /// Returns the first deadlines, each with the number of its timers.
  func soonest(_ limit: Int) -> [(deadline: Int64, count: Int)] {
    let counts = Dictionary(grouping: pending, by: \.deadline).mapValues(\.count)
    return counts.sorted { $0.key < $1.key }.prefix(limit).map { ($0.key, $0.value) }
  }
}
