import TestSupport
import Testing
import TimerWheel

/// Applies the same operations to a wheel and to the oracle, and compares their results.
struct RandomProgram: ~Copyable {
  private let workload: Workload
  private let seed: UInt64
  private var random: SplitMix64
  private var now: Int64
  private var wheel: TimerWheel
  private var oracle = Oracle()
  /// The handles of all timers so far; the payload of a timer is its index here.
  private var handles: [TimerHandle] = []
  private var step = 0

  init(_ workload: Workload, seed: UInt64) {
    self.workload = workload
    self.seed = seed
    random = SplitMix64(seed: seed)
    now = workload.start
    wheel = TimerWheel(now: workload.start + workload.lead)
  }

  private var context: Comment { "\(workload.testDescription), seed \(seed), step \(step)" }

  mutating func checkAll() throws {
    while step < workload.stepCount {
      try perform()
      try check()
      step += 1
    }
    now = .max
    try advance()
    try check()
    try #require(oracle.pending.isEmpty, context)
  }

  private mutating func perform() throws {
    let frequencies = [workload.insertions, workload.cancellations, workload.advances]
    var choice = Int.random(in: 0..<frequencies.reduce(workload.backwardSteps, +), using: &random)
    var operation = 0
    while operation < frequencies.count && choice >= frequencies[operation] {
      choice -= frequencies[operation]
      operation += 1
    }
    switch operation {
    case 0: insert()
    case 1: try cancel()
    case 2: try advance(by: workload.stride(&random))
    default: try advance(by: -workload.stride(&random))
    }
  }

  private mutating func insert() {
    let payload = UInt32(handles.count)
    let deadline = now.addingSaturating(workload.distance(&random))
    handles.append(wheel.insert(deadline: deadline, payload: payload))
    oracle.insert(deadline: deadline, payload: payload)
  }

  private mutating func cancel() throws {
    guard let payload = randomPayload() else { return }
    let handle = handles[Int(payload)]
    // No payload is used twice, so an index with its payload is equivalent to a handle.
    let cancelled =
      Bool.random(using: &random)
      ? wheel.cancel(handle) : wheel.cancel(index: handle.index, payload: payload)
    try #require(cancelled == oracle.cancel(payload: payload), context)
  }

  /// Returns the payload of a random timer; nil if there is none. With a probability of at least 3
  /// in 4, the timer is pending.
  private mutating func randomPayload() -> UInt32? {
    if Int.random(in: 0..<4, using: &random) > 0 {
      return oracle.pending.randomElement(using: &random)?.payload
    }
    return handles.indices.randomElement(using: &random).map { UInt32($0) }
  }

  private mutating func advance(by distance: Int64) throws {
    now = now.addingSaturating(distance)
    try advance()
  }

  private mutating func advance() throws {
    let expiries = wheel.expire(to: now)
    let deadlines = expiries.map(\.deadline)
    try #require(deadlines == deadlines.sorted(), context)
    try #require(expiries.sorted() == oracle.expire(to: now), context)
  }

  private mutating func check() throws {
    // A query at each step would hide faults that occur only without queries.
    if Bool.random(using: &random) {
      let earliest = wheel.earliest()
      try #require(earliest == oracle.earliest(), context)
    }
    if Int.random(in: 0..<4, using: &random) == 0 { try checkSoonest() }
    let count = wheel.count
    try #require(count == oracle.pending.count, context)
    if count + wheel.staleCount < 100 || step.isMultiple(of: 50) {
      let violations = wheel.checkInvariants()
      try #require(violations == [], context)
    }
  }
}

extension RandomProgram {
  /// Checks that `soonest` returns the groups of timers with the earliest deadlines. With a limit
  /// of visits, it may return nil or only the first of these groups. With `wholeFirst`, it returns
  /// at least one group if there is one.
  private mutating func checkSoonest() throws {
    let limit = Int.random(in: 1...6, using: &random)
    let visits = Int.random(in: 0...60, using: &random)
    let expected = oracle.soonest(limit)
    let groups = wheel.soonest(limit, readingAtMost: .max)
    try #require(groups?.map(\.deadline) == expected.map(\.deadline), context)
    try #require(groups?.map(\.count) == expected.map(\.count), context)
    for isWhole in [false, true] {
      let limitedGroups = wheel.soonest(limit, readingAtMost: visits, wholeFirst: isWhole)
      try #require(limitedGroups.map { groups?.starts(with: $0) } != false, context)
      try #require(!isWhole || limitedGroups?.isEmpty == groups?.isEmpty, context)
    }
    for group in groups ?? [] {
      let timers = group.payloads.map { Expiry(deadline: group.deadline, payload: $0) }
      try #require(timers.allSatisfy(oracle.pending.contains), context)
      try #require(Set(group.payloads).count == min(group.count, TimerGroup.payloadsMax), context)
    }
  }
}

extension Int64 {
  fileprivate func addingSaturating(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }
}
