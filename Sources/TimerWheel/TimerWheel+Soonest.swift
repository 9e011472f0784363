extension TimerWheel {
  /// Returns the earliest deadlines, ascending, each with its number of timers. Each slot is read
  /// completely, because otherwise the counts would be too low.
  ///
  /// - Parameters:
  ///   - deadlinesMax: the maximum number of deadlines.
  ///   - visits: the maximum number of entries to read, including the entries of cancelled timers.
  ///     The list ends before the slot that would exceed this maximum.
  ///   - wholeFirst: whether the earliest slot is read even if it exceeds `visits`.
  /// - Returns: nil if not even the earliest slot could be read. Overdue timers count as one slot,
  ///   the earliest.
  package mutating func soonest(
    _ deadlinesMax: Int, readingAtMost visits: Int, wholeFirst: Bool = false
  ) -> [TimerGroup]? {
    guard earliest() != nil else { return [] }
    var soonest = SoonestTimers(groupsMax: deadlinesMax)
    var visitsLeft = visits - overdue.heap.count
    var isFirst = overdue.heap.isEmpty
    guard isFirst || wholeFirst || visitsLeft >= 0 else { return nil }
    for entry in overdue.heap where table.isLive(entry.index) {
      soonest.add(entry.deadline, table.payload(of: entry.index))
    }
    var next = levels.first
    while let position = next, !soonest.isFull {
      let isUnlimited = isFirst && wholeFirst
      guard add(position, to: &soonest, visitsLeft: &visitsLeft, isUnlimited: isUnlimited) else {
        return isFirst ? nil : soonest.groups
      }
      isFirst = false
      next = levels.first(after: position)
    }
    return soonest.groups
  }

  /// Adds the timers of a slot. Unless `isUnlimited`, a slot with more than `visitsLeft` entries is
  /// not added.
  ///
  /// - Returns: whether the slot was added.
  private func add(
    _ position: SlotPosition, to soonest: inout SoonestTimers, visitsLeft: inout Int,
    isUnlimited: Bool
  ) -> Bool {
    var withSlot = soonest
    var nextChunk = levels[position].chunks
    while let chunk = nextChunk {
      visitsLeft -= chunk.pointee.count
      guard isUnlimited || visitsLeft >= 0 else { return false }
      for offset in 0..<chunk.pointee.count {
        let entry = chunk.entries[offset]
        guard table.isLive(entry.index) else { continue }
        withSlot.add(entry.deadline, table.payload(of: entry.index))
      }
      nextChunk = chunk.pointee.next
    }
    soonest = withSlot
    return true
  }
}

/// A deadline with its number of timers.
package struct TimerGroup: Equatable {
  package let deadline: Int64
  /// The number of timers with this deadline.
  package private(set) var count = 1
  /// The payloads of the first timers that were read, at most `payloadsMax`.
  package private(set) var payloads: [UInt32]

  /// The maximum number of payloads. It is small, so that reading a burst takes little memory.
  package static let payloadsMax = 8

  fileprivate init(_ deadline: Int64, _ payload: UInt32) {
    (self.deadline, payloads) = (deadline, [payload])
  }

  fileprivate mutating func add(_ payload: UInt32) {
    count += 1
    if payloads.count < Self.payloadsMax { payloads.append(payload) }
  }
}

/// The earliest deadlines among the added timers.
private struct SoonestTimers {
  /// The maximum number of deadlines to keep.
  let groupsMax: Int
  /// The earliest deadlines so far, ascending.
  private(set) var groups: [TimerGroup] = []

  init(groupsMax: Int) {
    self.groupsMax = groupsMax
  }

  var isFull: Bool { groups.count == groupsMax }

  /// Adds a timer. Once earlier deadlines have displaced a deadline, it is never added again. So
  /// the counts are complete.
  mutating func add(_ deadline: Int64, _ payload: UInt32) {
    let index = groups.firstIndex { $0.deadline >= deadline } ?? groups.count
    if index < groups.count, groups[index].deadline == deadline {
      groups[index].add(payload)
      return
    }
    guard index < groupsMax else { return }
    if isFull { groups.removeLast() }
    groups.insert(TimerGroup(deadline, payload), at: index)
  }
}
