extension TimerWheel {
  /// Up to this many stale entries are not worth a visit to every slot.
  private static let staleAllowance = 1024

  /// Cancels a timer and returns true; if it has expired or was cancelled before, returns false
  /// and changes nothing. Amortised O(1): of as many cancellations as there are timers, one
  /// visits all entries.
  package mutating func cancel(_ handle: TimerHandle) -> Bool {
    guard table.cancel(handle) else { return false }
    staleCount &+= 1
    if staleCount > count &+ Self.staleAllowance { compact() }
    return true
  }

  /// Drops all stale entries.
  @inline(never)
  private mutating func compact() {
    let before = overdue.heap.count
    overdue.removeStale(of: &table)
    staleCount -= before - overdue.heap.count
    for index in 0..<Place.count where levels.isOccupied(Place(index: index)) {
      refile(Place(index: index))
    }
  }
}
