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
