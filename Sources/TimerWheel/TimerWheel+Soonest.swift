extension TimerWheel {
  /// How many timers have the earliest deadline, and the payload of one of them; nil if there is
  /// none. Linear in the slot that holds them.
  package mutating func soonest() -> (deadline: Int64, count: Int, payload: UInt32)? {
    guard let deadline = earliest() else { return nil }
    var count = 0
    var payload: UInt32 = 0
    func look(at entry: Entry) {
      guard entry.deadline == deadline, table.isLive(entry.index) else { return }
      count += 1
      payload = table.payload(of: entry.index)
    }
    for entry in overdue.heap { look(at: entry) }
    if let place = levels.first {
      var next = levels[place].chunks
      while let chunk = next {
        for offset in 0..<chunk.pointee.count { look(at: chunk.entries[offset]) }
        next = chunk.pointee.next
      }
    }
    return (deadline, count, payload)
  }
}
