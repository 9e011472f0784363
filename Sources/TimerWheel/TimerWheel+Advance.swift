extension TimerWheel {
  package typealias Expire = (_ payload: UInt32, _ deadline: Int64) -> Void

  /// Ends all timers with a deadline up to `now`, in order of deadline, and hands out each to
  /// `expire`.
  ///
  /// If `now` is before the time of an earlier call, this still ends the timers that are due by
  /// `now` and no others.
  ///
  /// O(timers ended + entries filed again), and an entry is filed again ten times at most;
  /// O(log n) for a timer that was overdue when it was inserted.
  package mutating func advance(to now: Int64, _ expire: Expire) {
    expireOverdue(by: now, expire)
    guard now > time else { return }
    while let place = levels.first, place <= Place(of: now, from: time) {
      if place.level == 0 {
        expireAll(at: place, expire)
      } else {
        time = min(now, levels[place].soonest.deadline)
        cascade(place)
      }
    }
    time = now
  }

  private mutating func expireOverdue(by now: Int64, _ expire: Expire) {
    while let entry = overdue.first, entry.deadline <= now {
      overdue.removeFirst()
      end(entry.index, entry.deadline, expire)
    }
  }

  /// Files the entries of a slot again, as time has come to it. The stale ones too: to tell them
  /// would take another look into the table.
  private mutating func cascade(_ place: Place) {
    var next = levels.take(place)
    while let chunk = next {
      for offset in 0..<chunk.pointee.count {
        let index = chunk.entries[offset]
        file(Entry(deadline: table.deadline(of: index), index: index))
      }
      next = chunk.pointee.next
      pool.release(chunk)
    }
  }

  /// Ends the timers of a slot of level 0, which all have the same deadline.
  private mutating func expireAll(at place: Place, _ expire: Expire) {
    let deadline = levels[place].soonest.deadline
    var next = levels.take(place)
    while let chunk = next {
      for offset in 0..<chunk.pointee.count { end(chunk.entries[offset], deadline, expire) }
      next = chunk.pointee.next
      pool.release(chunk)
    }
  }

  /// Ends the timer of an entry that has been taken out, if it is live.
  @inline(__always)
  private mutating func end(_ index: UInt32, _ deadline: Int64, _ expire: Expire) {
    guard table.isLive(index) else { return dropStale(index) }
    let payload = table.end(index)
    table.free(index)
    expire(payload, deadline)
  }
}
