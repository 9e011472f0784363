extension TimerWheel {
  /// The earliest deadline of all timers, or nil if there is none.
  ///
  /// O(1), unless the earliest timer was cancelled: then the slot it was in is filed again, which
  /// may hold all timers if they are far away and close to each other.
  package mutating func earliest() -> Int64? {
    while let entry = overdue.first {
      if table.isLive(entry.index) { return entry.deadline }
      overdue.removeFirst()
      drop(entry)
    }
    while let place = levels.first {
      let soonest = levels[place].soonest
      if table.isLive(soonest.index) { return soonest.deadline }
      refile(place)
    }
    return nil
  }
}

extension TimerWheel {
  /// How many timers have the earliest deadline, and the payload of one of them; nil if there is
  /// none. Linear in the slot that holds them.
  ///
  /// - Parameter most: after how many timers it gives up, and answers nil.
  package mutating func soonest(
    lookingAtMost most: Int = .max
  ) -> (deadline: Int64, count: Int, payload: UInt32)? {
    guard let deadline = earliest() else { return nil }
    var count = 0
    var payload: UInt32 = 0
    func look(at entry: Entry) {
      guard entry.deadline == deadline, table.isLive(entry.index) else { return }
      count += 1
      payload = table.payload(of: entry.index)
    }
    guard overdue.heap.count <= most else { return nil }
    for entry in overdue.heap { look(at: entry) }
    var left = most - overdue.heap.count
    if let place = levels.first {
      var next = levels[place].chunks
      while let chunk = next {
        left -= chunk.pointee.count
        guard left >= 0 else { return nil }
        for offset in 0..<chunk.pointee.count { look(at: chunk.entries[offset]) }
        next = chunk.pointee.next
      }
    }
    return (deadline, count, payload)
  }
}
