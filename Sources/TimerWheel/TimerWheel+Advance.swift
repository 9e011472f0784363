extension TimerWheel {
  /// Receives a timer that has ended.
  package typealias Expire = (_ payload: UInt32, _ deadline: Int64) -> Void

  /// Ends all timers with a deadline up to `now`, in order of deadline, and passes each to
  /// `expire`.
  ///
  /// If `now` is before the time of an earlier call, this function still ends exactly the timers
  /// due by `now`.
  ///
  /// The cost is O(timers ended + entries refiled). An entry is refiled at most ten times. A timer
  /// that was overdue at its insertion costs O(log n).
  package mutating func advance(to now: Int64, _ expire: Expire) {
    expireOverdue(by: now, expire)
    guard now > time else { return }
    while let position = levels.first, position <= SlotPosition(of: now, from: time) {
      if position.level == 0 {
        expireAll(at: position, expire)
      } else {
        time = min(now, levels[position].soonest.deadline)
        refile(position)
      }
    }
    time = now
  }

  private mutating func expireOverdue(by now: Int64, _ expire: Expire) {
    while let entry = overdue.first, entry.deadline <= now {
      overdue.removeFirst()
      end(entry, expire)
    }
  }

  /// Ends the timers of a slot at level 0, which all have the same deadline.
  private mutating func expireAll(at position: SlotPosition, _ expire: Expire) {
    var nextChunk = levels.take(position)
    while let chunk = nextChunk {
      for offset in 0..<chunk.pointee.count { end(chunk.entries[offset], expire) }
      nextChunk = chunk.pointee.next
      pool.release(chunk)
    }
  }

  /// Ends the timer of a removed entry, if it is live.
  @inline(__always)
  private mutating func end(_ entry: Entry, _ expire: Expire) {
    if table.isLive(entry.index) {
      expire(table.release(entry.index), entry.deadline)
    } else {
      drop(entry)
    }
  }
}

/// The entries whose deadlines the wheel's time had reached when they were inserted. They are a
/// binary heap by deadline.
///
/// The entries are due at the next advance. If the clock was then set back, each entry still waits
/// for its deadline, although the wheel's time is later.
struct Overdue {
  private(set) var heap: [Entry] = []

  var first: Entry? { heap.first }

  /// Adds an entry; O(log n).
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

  /// Removes the entry with the earliest deadline; O(log n). The heap must not be empty.
  mutating func removeFirst() {
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    sift(from: 0)
  }

  /// Removes stale entries and frees their indices; O(n).
  mutating func removeStale(of table: inout TimerTable) {
    var live: [Entry] = []
    for entry in heap {
      if table.isLive(entry.index) { live.append(entry) } else { table.free(entry.index) }
    }
    heap = live
    for parent in (0..<heap.count / 2).reversed() { sift(from: parent) }
  }

  /// Moves an entry down until none of its children is earlier.
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
