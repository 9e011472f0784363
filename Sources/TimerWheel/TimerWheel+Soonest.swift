extension TimerWheel {
  /// The first deadlines, ascending, each with how many timers have it. Slots are looked at whole,
  /// for only then it is known how many of their timers have a deadline.
  ///
  /// - Parameters:
  ///   - most: how many deadlines at most.
  ///   - looks: how many timers are looked at, cancelled ones included; the list ends before the
  ///     slot that would take more.
  ///   - wholeFirst: whether the earliest slot is looked at however many it holds.
  /// - Returns: nil if not even the earliest slot could be looked at.
  package mutating func soonest(
    _ most: Int, lookingAtMost looks: Int, wholeFirst: Bool = false
  ) -> [TimerGroup]? {
    guard earliest() != nil else { return [] }
    var found = SoonestTimers(most: most)
    var left = looks - overdue.heap.count
    var isFirst = overdue.heap.isEmpty
    guard isFirst || wholeFirst || left >= 0 else { return nil }
    for entry in overdue.heap where table.isLive(entry.index) {
      found.add(entry.deadline, table.payload(of: entry.index))
    }
    var next = levels.first
    while let place = next, !found.isFull {
      let isFree = isFirst && wholeFirst
      guard add(place, to: &found, looks: &left, isFree: isFree) else {
        return isFirst ? nil : found.groups
      }
      isFirst = false
      next = levels.first(after: place)
    }
    return found.groups
  }

  /// Adds what a slot holds, or nothing if that would take too many looks.
  private func add(
    _ place: Place, to found: inout SoonestTimers, looks: inout Int, isFree: Bool
  ) -> Bool {
    var all = found
    var next = levels[place].chunks
    while let chunk = next {
      looks -= chunk.pointee.count
      guard isFree || looks >= 0 else { return false }
      for offset in 0..<chunk.pointee.count {
        let entry = chunk.entries[offset]
        guard table.isLive(entry.index) else { continue }
        all.add(entry.deadline, table.payload(of: entry.index))
      }
      next = chunk.pointee.next
    }
    found = all
    return true
  }
}

/// How many timers have a deadline.
package struct TimerGroup: Equatable {
  package let deadline: Int64
  package var count: Int
  /// Of one of them.
  package let payload: UInt32
}

/// The first deadlines of those that were added.
private struct SoonestTimers {
  let most: Int
  private(set) var groups: [TimerGroup] = []

  init(most: Int) {
    self.most = most
  }

  var isFull: Bool { groups.count == most }

  /// Whatever has given way to earlier ones never comes back, so the counts are of all.
  mutating func add(_ deadline: Int64, _ payload: UInt32) {
    let place = groups.firstIndex { $0.deadline >= deadline } ?? groups.count
    if place < groups.count, groups[place].deadline == deadline {
      groups[place].count += 1
      return
    }
    guard place < most else { return }
    if isFull { groups.removeLast() }
    groups.insert(TimerGroup(deadline: deadline, count: 1, payload: payload), at: place)
  }
}
