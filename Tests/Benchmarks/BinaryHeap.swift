/// The comparison for the wheel: a binary heap of timers with lazy cancellation.
struct BinaryHeap {
  private var entries: [(deadline: Int64, index: UInt32)] = []
  private var isCancelled: [Bool] = []

  init(capacity: Int) {
    entries.reserveCapacity(capacity)
    isCancelled.reserveCapacity(capacity)
  }

  mutating func insert(deadline: Int64) -> UInt32 {
    let index = UInt32(isCancelled.count)
    isCancelled.append(false)
    entries.append((deadline, index))
    var child = entries.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      if entries[parent].deadline <= deadline { break }
      entries[child] = entries[parent]
      child = parent
    }
    entries[child] = (deadline, index)
    return index
  }

  mutating func cancel(_ index: UInt32) {
    isCancelled[Int(index)] = true
  }

  mutating func advance(to now: Int64, _ expire: (UInt32, Int64) -> Void) {
    while let first = entries.first, first.deadline <= now {
      removeFirst()
      if !isCancelled[Int(first.index)] { expire(first.index, first.deadline) }
    }
  }

  private mutating func removeFirst() {
    let last = entries.removeLast()
    guard !entries.isEmpty else { return }
    var parent = 0
    while 2 * parent + 1 < entries.count {
      var child = 2 * parent + 1
      let sibling = child + 1
      if sibling < entries.count, entries[sibling].deadline < entries[child].deadline {
        child = sibling
      }
      if last.deadline <= entries[child].deadline { break }
      entries[parent] = entries[child]
      parent = child
    }
    entries[parent] = last
  }
}
