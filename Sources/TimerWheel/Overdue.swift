/// Entries whose deadline the wheel's time has reached already, as a binary heap by deadline.
///
/// They are due at the next advance, unless the clock was set back: then each waits for its own
/// deadline, which the wheel's time can no longer tell.
struct Overdue {
  private(set) var heap: [Entry] = []

  var first: Entry? { heap.first }

  /// O(log n).
  @inline(never)
  mutating func insert(_ entry: Entry) {
    heap.append(entry)
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      if heap[parent].deadline <= heap[child].deadline { return }
      heap.swapAt(parent, child)
      child = parent
    }
  }

  /// O(log n); there must be one.
  mutating func removeFirst() {
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    sift(from: 0)
  }

  /// Removes the entries of timers that do not live, and frees their indices; O(n).
  mutating func removeStale(of table: inout TimerTable) {
    var live: [Entry] = []
    for entry in heap {
      if table.isLive(entry.index) { live.append(entry) } else { table.free(entry.index) }
    }
    heap = live
    for parent in (0..<heap.count / 2).reversed() { sift(from: parent) }
  }

  /// Moves an entry down to where neither child is earlier.
  private mutating func sift(from start: Int) {
    var parent = start
    while 2 * parent + 1 < heap.count {
      var child = 2 * parent + 1
      let sibling = child + 1
      if sibling < heap.count && heap[sibling].deadline < heap[child].deadline { child = sibling }
      if heap[parent].deadline <= heap[child].deadline { return }
      heap.swapAt(parent, child)
      parent = child
    }
  }
}
