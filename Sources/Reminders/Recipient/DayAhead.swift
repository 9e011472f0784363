import CivilTime

/// The known occurrences of a recipient's day for which capacity is reserved (rule V12). They are
/// indexed, because the gates of many less urgent occurrences look up the reservations.
struct DayAhead {
  /// An occurrence in one channel group that would be sent later on the day without minimum
  /// interval and cap.
  struct Entry {
    /// The occurrence, with the instant at which it would be sent.
    var beneficiary: CapReservations.Beneficiary
    var urgency: Urgency
    /// The planned instant of the occurrence, or the end of a snooze.
    var planned: Instant
    /// Whether minimum interval or cap makes the occurrence wait. If so, it is sent before newer
    /// occurrences of the same urgency.
    var isWaiting: Bool
    /// Whether the occurrence is sent before its planned instant. Minimum intervals do not apply
    /// then.
    var isEarly: Bool
    /// Whether a digest may contain the occurrence: it was held back by a gate or snoozed, or it is
    /// e-mail that is collected for once a day or a week.
    var hasWaited: Bool
    /// The occurrence as a possible member of a digest.
    var member: Bundling.Member

    var at: Instant { beneficiary.at }
  }

  /// The occurrences above a level of urgency, and the waiting occurrences of exactly this level.
  fileprivate struct Level {
    /// The occurrences, in the order of their instants. All of them count towards the cap.
    var beneficiaries: [CapReservations.Beneficiary] = []
    /// The instants of the occurrences that also need a minimum interval, ascending.
    var intervalInstants: [Instant] = []
    /// The waiting occurrences of exactly this urgency, in the order of sending.
    var waiting: [Waiting] = []
  }

  /// A waiting notification or digest, which minimum interval or cap holds.
  fileprivate struct Waiting {
    /// The most urgent member, which stands for the notification or digest.
    var beneficiary: CapReservations.Beneficiary
    /// The planned instant of the oldest member.
    var planned: Instant
    /// The latest `planned` of this and all following elements.
    var youngest: Instant
  }

  /// The local date to which the reservations belong.
  let date: LocalDate
  /// The levels of low, normal and high urgency.
  private var levels = [Level(), Level(), Level()]

  /// - Parameter threshold: the minimum number of members of a digest.
  init(_ entries: [Entry], on date: LocalDate, threshold: Int) {
    self.date = date
    let sorted = entries.sorted { ($0.at, $1.urgency) < ($1.at, $0.urgency) }
    var start = 0
    while start < sorted.count {
      let end = sorted[start...].firstIndex { $0.at != sorted[start].at } ?? sorted.count
      add(Array(sorted[start..<end]), threshold)
      start = end
    }
    for index in levels.indices { levels[index].recordYoungest() }
  }

  /// Adds the occurrences of one instant. A digest counts as one occurrence.
  private mutating func add(_ entries: [Entry], _ threshold: Int) {
    let held = entries.filter { $0.hasWaited && !$0.isEarly }
    for unit in Bundling(held.map(\.member), threshold: threshold).units {
      let first = held[unit.members[0]]
      add(first)
      let waiting = unit.members.map { held[$0] }
        .filter { $0.isWaiting && $0.urgency == first.urgency }
      guard let oldest = waiting.map(\.planned).min() else { continue }
      levels[Int(first.urgency.rawValue)].waiting.append(
        Waiting(beneficiary: first.beneficiary, planned: oldest, youngest: oldest))
    }
    for entry in entries where !entry.hasWaited || entry.isEarly { add(entry) }
  }

  private mutating func add(_ entry: Entry) {
    for index in levels.indices where Int(entry.urgency.rawValue) > index {
      levels[index].beneficiaries.append(entry.beneficiary)
      if !entry.isEarly { levels[index].intervalInstants.append(entry.at) }
    }
  }

  /// Returns the reservations that affect an occurrence at an instant of the day; nil if there are
  /// none.
  func reservations(from input: GateInput, at now: Instant) -> CapReservations? {
    let index = Int(input.urgency.rawValue)
    guard levels.indices.contains(index) else { return nil }
    let level = levels[index]
    let start = now + .milliseconds(1)
    let urgent = level.beneficiaries[level.beneficiaries.lowerBound { $0.at >= start }...]
    let older = level.older(than: input.planned, from: start)
    let firsts = [urgent.first, older.first].compactMap { $0 }
    guard let first = firsts.min(by: { $0.at < $1.at }) else { return nil }
    let nextIndex = level.intervalInstants.lowerBound { $0 >= start }
    let nextSpaced =
      nextIndex < level.intervalInstants.count ? level.intervalInstants[nextIndex] : nil
    return CapReservations(
      instant: now, count: urgent.count + older.count,
      next: [nextSpaced, older.first?.at].compactMap { $0 }.min(),
      beneficiary: first)
  }
}

extension DayAhead.Level {
  /// Sets `youngest` of each element.
  fileprivate mutating func recordYoungest() {
    guard var youngest = waiting.last?.planned else { return }
    for index in waiting.indices.reversed() {
      youngest = max(youngest, waiting[index].planned)
      waiting[index].youngest = youngest
    }
  }

  /// Returns the number and the first of the waiting occurrences that are sent from `start` on and
  /// were planned before `planned`.
  ///
  /// - Complexity: logarithmic if all waiting occurrences are older.
  fileprivate func older(
    than planned: Instant, from start: Instant
  ) -> (count: Int, first: CapReservations.Beneficiary?) {
    let later = waiting[waiting.lowerBound { $0.beneficiary.at >= start }...]
    guard let first = later.first else { return (0, nil) }
    guard first.youngest >= planned else { return (later.count, first.beneficiary) }
    let older = later.filter { $0.planned < planned }
    return (older.count, older.first?.beneficiary)
  }
}

extension Array {
  /// Returns the first index whose element satisfies the condition. All following elements must
  /// satisfy it, too.
  fileprivate func lowerBound(where holds: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if holds(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
