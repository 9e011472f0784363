/// A hierarchical timing wheel: any number of timers at any distance, with ticks of a millisecond
/// (G. Varghese and T. Lauck, "Hashed and Hierarchical Timing Wheels", SOSP 1987, scheme 7).
///
/// The wheel works like a clock with several hands. It files timers due within the minute by
/// second, within the hour by minute, and within the day by hour. When an hour begins, it refiles
/// that hour's timers by minute. Here a level has 64 slots (see `SlotPosition`). So a timer that is
/// due in a day is refiled about four times. A heap of a million timers would move it twenty times.
/// Bitmaps give the next occupied slot, so that empty slots cost nothing.
///
/// Times are milliseconds since the epoch; every `Int64` is valid.
///
/// Cancelling a timer leaves a stale entry behind. The entry is dropped when its slot is refiled.
/// Only then is the timer's index free for another timer, so that an entry needs no generation.
/// When stale entries outnumber the timers, all slots are refiled at once, which costs constant
/// time for each cancelled timer.
///
/// Memory is 20 bytes for each timer, live or stale: 12 in a slot and 8 in the table. Each slot in
/// use has up to a kibibyte unfilled. Growing copies nothing. Memory is kept for reuse until the
/// wheel is deallocated.
///
/// The wheel reads no clock and starts no thread. Its owner must sleep until `earliest` and call
/// `advance`. It does not interpret payloads, and does not order timers of the same deadline. It
/// has no lock.
package struct TimerWheel: ~Copyable {
  /// The latest time to which the wheel was advanced. It never decreases, even if the clock is set
  /// back.
  ///
  /// Timers with a deadline up to this time are in `overdue`, the others in `levels`.
  var time: Int64

  /// The payloads of all timers, and whether they are live.
  var table = TimerTable()
  /// The entries of timers that were not due when they were inserted.
  var levels = Levels()
  /// The memory of the slots' entries.
  var pool = ChunkPool()
  /// The entries of timers that were due when they were inserted.
  var overdue = Overdue()

  /// The number of entries of cancelled timers.
  package internal(set) var staleCount = 0

  /// Creates an empty wheel, advanced to `now`.
  ///
  /// Overdue timers cost more than others. So a wheel that will get many overdue timers should
  /// start at the time of the earliest one.
  package init(now: Int64) { time = now }

  /// The number of pending timers; O(1).
  package var count: Int { table.liveCount }

  /// Files an entry by `time`, which must not be after the entry's deadline.
  @inline(__always)
  mutating func file(_ entry: Entry) {
    levels.append(entry, at: SlotPosition(of: entry.deadline, from: time), from: &pool)
  }

  /// Refiles the entries of a slot by the current `time`, and drops the stale ones.
  mutating func refile(_ position: SlotPosition) {
    var next = levels.take(position)
    while let chunk = next {
      for offset in 0..<chunk.pointee.count {
        let entry = chunk.entries[offset]
        // This also loads the timer's record into the cache before the timer expires.
        if table.isLive(entry.index) { file(entry) } else { drop(entry) }
      }
      next = chunk.pointee.next
      pool.release(chunk)
    }
  }

  /// Drops a stale entry that was removed from its slot.
  @inline(__always)
  mutating func drop(_ entry: Entry) {
    staleCount &-= 1
    table.free(entry.index)
  }
}

extension TimerWheel {
  /// Adds a timer; O(1).
  ///
  /// A deadline at or before the wheel's time is due at the next `advance` that reaches it, and
  /// costs O(log n) for n such timers.
  package mutating func insert(deadline: Int64, payload: UInt32) -> TimerHandle {
    let handle = table.claim(payload: payload)
    let entry = Entry(deadline: deadline, index: handle.index)
    if deadline > time { file(entry) } else { overdue.insert(entry) }
    return handle
  }
}

extension TimerWheel {
  /// How many stale entries there may be in addition to the number of timers. A pass over all slots
  /// for so few would not be worth its cost.
  private static let staleAllowance = 1024

  /// Cancels a timer. Returns false, without effect, if the timer has already expired or was
  /// cancelled. The amortized cost is O(1), because there is one pass over all entries for about as
  /// many cancellations as there are timers.
  package mutating func cancel(_ handle: TimerHandle) -> Bool {
    guard table.cancel(handle) else { return false }
    recordStale()
    return true
  }

  /// Cancels the timer of an index, for callers that store no generation. If the index now belongs
  /// to a later timer with the same payload, the call cancels that timer.
  package mutating func cancel(index: UInt32, payload: UInt32) -> Bool {
    guard table.cancel(index: index, payload: payload) else { return false }
    recordStale()
    return true
  }

  private mutating func recordStale() {
    staleCount &+= 1
    if staleCount > count &+ Self.staleAllowance { compact() }
  }

  @inline(never)
  private mutating func compact() {
    let previousCount = overdue.heap.count
    overdue.removeStale(of: &table)
    staleCount -= previousCount - overdue.heap.count
    for index in 0..<SlotPosition.count where levels.isOccupied(SlotPosition(index: index)) {
      refile(SlotPosition(index: index))
    }
  }
}

extension TimerWheel {
  /// Returns the earliest deadline of all timers; nil if there are none.
  ///
  /// The cost is O(1), unless the earliest timer was cancelled. Then its slot is refiled, which may
  /// contain all timers if their deadlines are far ahead and close together. A cancelled overdue
  /// timer costs O(log n).
  package mutating func earliest() -> Int64? {
    while let entry = overdue.first {
      if table.isLive(entry.index) { return entry.deadline }
      overdue.removeFirst()
      drop(entry)
    }
    while let position = levels.first {
      let soonest = levels[position].soonest
      if table.isLive(soonest.index) { return soonest.deadline }
      refile(position)
    }
    return nil
  }
}
