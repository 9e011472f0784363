extension TimerWheel {
  /// Returns the earliest deadlines, ascending, each with its number of timers. Each slot is read
  /// completely, because otherwise the counts would be too low.
  ///
  /// - Parameters:
  ///   - most: the maximum number of deadlines.
  ///   - visits: the maximum number of entries to read, including the entries of cancelled timers.
  ///     The list ends before the slot that would exceed this maximum.
  ///   - wholeFirst: whether the earliest slot is read even if it exceeds `visits`.
  /// - Returns: nil if not even the earliest slot could be read.
  package mutating func soonest(
    _ most: Int, lookingAtMost visits: Int, wholeFirst: Bool = false
  ) -> [TimerGroup]? {
    guard earliest() != nil else { return [] }
    var found = SoonestTimers(most: most)
    var left = visits - overdue.heap.count
    var isFirst = overdue.heap.isEmpty
    guard isFirst || wholeFirst || left >= 0 else { return nil }
    for entry in overdue.heap where table.isLive(entry.index) {
      found.add(entry.deadline, table.payload(of: entry.index))
    }
    var next = levels.first
    while let position = next, !found.isFull {
      let isUnlimited = isFirst && wholeFirst
      guard add(position, to: &found, visits: &left, isUnlimited: isUnlimited) else {
        return isFirst ? nil : found.groups
      }
      isFirst = false
      next = levels.first(after: position)
    }
    return found.groups
  }

  /// Adds the timers of a slot. If the slot has more than `visits` entries, adds none and returns
  /// false, unless `isUnlimited`.
  private func add(
    _ position: SlotPosition, to found: inout SoonestTimers, visits: inout Int, isUnlimited: Bool
  ) -> Bool {
    var all = found
    var next = levels[position].chunks
    while let chunk = next {
      visits -= chunk.pointee.count
      guard isUnlimited || visits >= 0 else { return false }
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

/// A deadline with its number of timers.
package struct TimerGroup: Equatable {
  package let deadline: Int64
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
  let most: Int
  private(set) var groups: [TimerGroup] = []

  init(most: Int) {
    self.most = most
  }

  var isFull: Bool { groups.count == most }

  /// Adds a timer. A deadline that earlier deadlines have displaced is never added again, so the
  /// counts are complete.
  mutating func add(_ deadline: Int64, _ payload: UInt32) {
    let index = groups.firstIndex { $0.deadline >= deadline } ?? groups.count
    if index < groups.count, groups[index].deadline == deadline {
      groups[index].add(payload)
      return
    }
    guard index < most else { return }
    if isFull { groups.removeLast() }
    groups.insert(TimerGroup(deadline, payload), at: index)
  }
}
