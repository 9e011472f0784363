import CivilTime

/// What is known to come of a person's day and has its slots kept (rule V5), made ready to be asked
/// for one occurrence after the other.
struct DayAhead {
  /// One way out of an occurrence that goes later that day, but for interval and cap.
  struct Arrival {
    var beneficiary: KeptSlots.Beneficiary
    var urgency: Urgency
    /// Whether it comes before its own time: it waits for no interval, and nothing for its.
    var isForward: Bool
    /// Whether it was held before: it may be part of a digest.
    var isHeld: Bool
    var member: Bundling.Member

    var at: Instant { beneficiary.at }
  }

  /// What is more urgent than one urgency: what takes a slot of the day, and what of it needs an
  /// interval, both ascending.
  private struct Level {
    var beneficiaries: [KeptSlots.Beneficiary] = []
    var spaced: [Instant] = []
  }

  let date: LocalDate
  /// For what is low, and for what is normal.
  private var levels = [Level(), Level()]

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
  }

  /// Adds what comes at one instant: a digest to come is one.
  private mutating func add(_ arrivals: [Arrival], _ threshold: Int) {
    let held = arrivals.filter { $0.isHeld && !$0.isForward }
    for unit in Bundling(held.map(\.member), threshold: threshold).units {
      add(held[unit.members[0]])
    }
    for arrival in arrivals where !arrival.isHeld || arrival.isForward { add(arrival) }
  }

  private mutating func add(_ arrival: Arrival) {
    for index in levels.indices where Int(arrival.urgency.rawValue) > index {
      levels[index].beneficiaries.append(arrival.beneficiary)
      if !arrival.isForward { levels[index].spaced.append(arrival.at) }
    }
  }

  /// What is kept from an occurrence of an urgency at an instant of the day; nil if nothing is.
  ///
  /// - Parameter isToCome: whether that instant is still to come, so that what falls due at it has
  ///   its turn before.
  func kept(from urgency: Urgency, at now: Instant, isToCome: Bool = false) -> KeptSlots? {
    let index = Int(urgency.rawValue)
    guard levels.indices.contains(index) else { return nil }
    let level = levels[index]
    let start = isToCome ? now : now + .milliseconds(1)
    let first = level.beneficiaries.firstPlace { $0.at >= start }
    guard first < level.beneficiaries.count else { return nil }
    let next = level.spaced.firstPlace { $0 >= start }
    return KeptSlots(
      instant: now, count: level.beneficiaries.count - first,
      next: next < level.spaced.count ? level.spaced[next] : nil,
      beneficiary: level.beneficiaries[first])
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
