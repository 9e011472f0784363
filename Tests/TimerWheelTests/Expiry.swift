import TimerWheel

/// The deadline and payload of a timer.
struct Expiry: Hashable, Comparable {
  let deadline: Int64
  let payload: UInt32

  static func < (left: Expiry, right: Expiry) -> Bool {
    (left.deadline, left.payload) < (right.deadline, right.payload)
  }
}

extension TimerWheel {
  /// Advances to an instant and returns the timers that expire.
  mutating func expire(to now: Int64) -> [Expiry] {
    var expiries: [Expiry] = []
    advance(to: now) { expiries.append(Expiry(deadline: $1, payload: $0)) }
    return expiries
  }
}
