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
