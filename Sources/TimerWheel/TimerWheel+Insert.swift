extension TimerWheel {
  /// Adds a timer; O(1).
  ///
  /// A deadline that is not after the latest time the wheel was advanced to is due at the next
  /// `advance` that reaches it, and costs O(log n) for n timers of that kind.
  package mutating func insert(deadline: Int64, payload: UInt32) -> TimerHandle {
    let handle = table.claim(payload: payload)
    let entry = Entry(deadline: deadline, index: handle.index)
    if deadline > time { file(entry) } else { overdue.insert(entry) }
    return handle
  }
}
