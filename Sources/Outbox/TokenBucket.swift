import CivilTime

/// Limits a lane to a rate of deliveries: a token bucket whose capacity is one second's rate.
struct TokenBucket: Hashable, Sendable {
  /// Deliveries per second.
  private let rate: Int64
  /// The tokens, in thousandths of a delivery: at a rate of one delivery per second, each
  /// millisecond adds one. The level is negative after more tokens were consumed than were
  /// available.
  private var level: Int64
  /// The instant at which the bucket had `level`.
  private var levelTime: Instant

  /// - Parameter rate: deliveries per second, at least 1.
  init(rate: Int, now: Instant) {
    self.rate = Int64(max(1, rate))
    level = self.rate * 1_000
    levelTime = now
  }

  /// The number of deliveries in the smallest batch that is worth a transaction: a tenth of a
  /// second's rate.
  var portion: Int { Int(max(1, rate / 10)) }

  /// Returns the number of deliveries that may be dispatched now.
  func available(at now: Instant) -> Int { Int(max(0, level(at: now) / 1_000)) }

  /// Returns when `count` deliveries may be dispatched.
  ///
  /// - Parameter count: at most one second's rate.
  func ready(for count: Int, now: Instant) -> Instant {
    let missingTokens = min(Int64(count), rate) * 1_000 - level(at: now)
    guard missingTokens > 0 else { return now }
    return now + TimeSpan(milliseconds: (missingTokens + rate - 1) / rate)
  }

  /// Takes the tokens of deliveries that are dispatched, even if there are not enough.
  mutating func consume(_ count: Int, now: Instant) {
    level = level(at: now) - Int64(count) * 1_000
    levelTime = now
  }

  /// Gives back the tokens of deliveries that were not dispatched.
  mutating func refund(_ count: Int) {
    level = min(rate * 1_000, level + Int64(count) * 1_000)
  }

  /// Returns the tokens at an instant. A clock that was set back adds and removes no tokens.
  private func level(at now: Instant) -> Int64 {
    // The bucket is full after one second; the bound prevents an overflow.
    let elapsed = min(max(0, now.milliseconds - levelTime.milliseconds), 1_000 * 1_000)
    return min(rate * 1_000, level + elapsed * rate)
  }
}
