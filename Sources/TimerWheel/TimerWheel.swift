/// A hierarchical timing wheel: any number of timers at any distance, with ticks of a millisecond
/// (G. Varghese and T. Lauck, "Hashed and Hierarchical Timing Wheels", SOSP 1987, scheme 7).
///
/// The idea is that of a clock with several hands. Timers due within the minute are filed by
/// second, those due within the hour by minute, those due within the day by hour; as an hour
/// begins, its timers are filed again, by minute. Here a level has 64 slots (see `Place`), so a
/// timer a day away is filed again about four times, where a heap of a million timers would move
/// it twenty times; and a bitmap tells which slot is next, so that time in which nothing is due
/// costs nothing.
///
/// Times are in milliseconds since the epoch, and every `Int64` is one.
///
/// Cancelling a timer leaves its entry behind, stale. It is dropped when its slot is filed again,
/// and only then is its index free for another timer, so that an entry need not say whose it was.
/// When stale entries outnumber the timers, all slots are filed again at once, which comes to a
/// constant time for each timer cancelled.
///
/// Memory is 20 bytes for a timer, 12 in a slot and 8 in the table, and for each slot in use up
/// to a kibibyte not filled; a stale entry takes as much. It is never copied in order to grow,
/// and is kept for reuse until the wheel ends.
///
/// What it is not: it reads no clock and starts nothing by itself; somebody has to sleep until
/// `earliest` and call `advance`. It does not know what a payload means, and does not keep timers
/// of the same deadline in order. It has no lock.
package struct TimerWheel: ~Copyable {
  /// The latest time the wheel was advanced to: it does not go back, even if the clock does.
  ///
  /// Timers with a deadline up to then are in `overdue`, the others in `levels`.
  var time: Int64

  var table = TimerTable()
  var levels = Levels()
  var pool = ChunkPool()
  var overdue = Overdue()

  /// How many entries belong to timers that were cancelled.
  package internal(set) var staleCount = 0

  /// An empty wheel that has been advanced to `now`.
  ///
  /// Overdue timers are costlier than others, so a wheel that is to be filled with timers of
  /// which many may be overdue had better start at the time of the earliest.
  package init(now: Int64) { time = now }

  /// How many timers are pending; O(1).
  package var count: Int { table.liveCount }

  /// Puts an entry where it belongs as of `time`, which its deadline is not before.
  @inline(__always)
  mutating func file(_ entry: Entry) {
    levels.append(entry, at: Place(of: entry.deadline, from: time), from: &pool)
  }

  /// Files the entries of a slot again, where they belong as of `time`, and drops the stale ones.
  mutating func refile(_ place: Place) {
    var next = levels.take(place)
    while let chunk = next {
      for offset in 0..<chunk.pointee.count {
        let entry = chunk.entries[offset]
        // This also brings the timer's record into the cache ahead of the timer's expiry.
        if table.isLive(entry.index) { file(entry) } else { drop(entry) }
      }
      next = chunk.pointee.next
      pool.release(chunk)
    }
  }

  /// Forgets a stale entry that has been taken out.
  @inline(__always)
  mutating func drop(_ entry: Entry) {
    staleCount &-= 1
    table.free(entry.index)
  }
}

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

extension TimerWheel {
  /// Up to this many stale entries are not worth a visit to every slot.
  private static let staleAllowance = 1024

  /// Cancels a timer and returns true; if it has expired or was cancelled before, returns false
  /// and changes nothing. Amortised O(1): of as many cancellations as there are timers, one
  /// visits all entries.
  package mutating func cancel(_ handle: TimerHandle) -> Bool {
    guard table.cancel(handle) else { return false }
    noteStale()
    return true
  }

  /// The same by the index of a handle, for who has no room for more: it cancels a later timer of
  /// that index as well if that has the payload.
  package mutating func cancel(index: UInt32, payload: UInt32) -> Bool {
    guard table.cancel(index: index, payload: payload) else { return false }
    noteStale()
    return true
  }

  private mutating func noteStale() {
    staleCount &+= 1
    if staleCount > count &+ Self.staleAllowance { compact() }
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
