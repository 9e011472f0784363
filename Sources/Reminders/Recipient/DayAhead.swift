import CivilTime

/// What is known to come of a person's day and has its slots kept (rule V5), made ready to be asked
/// for one occurrence after the other.
struct DayAhead {
  /// One way out of an occurrence that goes later that day, but for interval and cap.
  struct Arrival {
    var beneficiary: KeptSlots.Beneficiary
    var urgency: Urgency
    var planned: Instant
    /// Whether it waits for a slot: nothing that is as urgent and younger takes that.
    var isWaiting: Bool
    /// Whether it comes before its own time: it waits for no interval, and nothing for its.
    var isForward: Bool
    /// Whether it was held before: it may be part of a digest.
    var isHeld: Bool
    var member: Bundling.Member

    var at: Instant { beneficiary.at }
  }

  /// What is more urgent than one urgency: what takes a slot of the day, and what of it needs an
  /// interval, both ascending.
  fileprivate struct Level {
    var beneficiaries: [KeptSlots.Beneficiary] = []
    var spaced: [Instant] = []
    /// What is as urgent and waits for a slot, ascending.
    var waiting: [Waiting] = []
  }

  /// A notification, or a digest, that waits for a slot.
  fileprivate struct Waiting {
    var beneficiary: KeptSlots.Beneficiary
    /// When the oldest of its members was planned.
    var planned: Instant
    /// The same of the youngest of those that go no earlier.
    var youngest: Instant
  }

  let date: LocalDate
  /// For what is low, normal and high.
  private var levels = [Level(), Level(), Level()]

  /// - Parameter threshold: of how many a digest is made.
  init(_ arrivals: [Arrival], on date: LocalDate, threshold: Int) {
    self.date = date
    let sorted = arrivals.sorted { ($0.at, $1.urgency) < ($1.at, $0.urgency) }
    var start = 0
    while start < sorted.count {
      let end = sorted[start...].firstIndex { $0.at != sorted[start].at } ?? sorted.count
      add(Array(sorted[start..<end]), threshold)
      start = end
    }
    for index in levels.indices { levels[index].noteYoungest() }
  }

  /// Adds what comes at one instant: a digest to come is one.
  private mutating func add(_ arrivals: [Arrival], _ threshold: Int) {
    let held = arrivals.filter { $0.isHeld && !$0.isForward }
    for unit in Bundling(held.map(\.member), threshold: threshold).units {
      let first = held[unit.members[0]]
      add(first)
      let waiting = unit.members.map { held[$0] }
        .filter { $0.isWaiting && $0.urgency == first.urgency }
      guard let oldest = waiting.map(\.planned).min() else { continue }
      levels[Int(first.urgency.rawValue)].waiting.append(
        Waiting(beneficiary: first.beneficiary, planned: oldest, youngest: oldest))
    }
    for arrival in arrivals where !arrival.isHeld || arrival.isForward { add(arrival) }
  }

  private mutating func add(_ arrival: Arrival) {
    for index in levels.indices where Int(arrival.urgency.rawValue) > index {
      levels[index].beneficiaries.append(arrival.beneficiary)
      if !arrival.isForward { levels[index].spaced.append(arrival.at) }
    }
  }

  /// What is kept from an occurrence at an instant of the day; nil if nothing is.
  func kept(from input: GateInput, at now: Instant) -> KeptSlots? {
    let index = Int(input.urgency.rawValue)
    guard levels.indices.contains(index) else { return nil }
    let level = levels[index]
    let start = now + .milliseconds(1)
    let urgent = level.beneficiaries[level.beneficiaries.firstPlace { $0.at >= start }...]
    let older = level.older(than: input.planned, from: start)
    let firsts = [urgent.first, older.first].compactMap { $0 }
    guard let first = firsts.min(by: { $0.at < $1.at }) else { return nil }
    let next = level.spaced.firstPlace { $0 >= start }
    let spaced = [next < level.spaced.count ? level.spaced[next] : nil, older.first?.at]
    return KeptSlots(
      instant: now, count: urgent.count + older.count, next: spaced.compactMap { $0 }.min(),
      beneficiary: first)
  }
}

extension DayAhead.Level {
  /// Notes by each that waits how young those are that go no earlier.
  fileprivate mutating func noteYoungest() {
    guard var youngest = waiting.last?.planned else { return }
    for index in waiting.indices.reversed() {
      youngest = max(youngest, waiting[index].planned)
      waiting[index].youngest = youngest
    }
  }

  /// What waits for a slot from an instant on, and was planned before another.
  ///
  /// - Complexity: logarithmic where all that waits is older.
  fileprivate func older(
    than planned: Instant, from start: Instant
  ) -> (count: Int, first: KeptSlots.Beneficiary?) {
    let later = waiting[waiting.firstPlace { $0.beneficiary.at >= start }...]
    guard let first = later.first else { return (0, nil) }
    guard first.youngest >= planned else { return (later.count, first.beneficiary) }
    let older = later.filter { $0.planned < planned }
    return (older.count, older.first?.beneficiary)
  }
}

extension Array {
  /// The place of the first element of which something holds that holds of all after it.
  fileprivate func firstPlace(where holds: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if holds(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
