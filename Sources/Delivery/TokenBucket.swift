import CivilTime

/// Holds a lane to so many deliveries a second: a bucket that fills at that rate and holds what a
/// second brings.
struct TokenBucket: Hashable, Sendable {
  private let rate: Int64
  /// In thousandths of a delivery, which is what a millisecond brings at a rate of one a second.
  /// Below zero after more was taken than was there.
  private var level: Int64
  private var filled: Instant

  /// - Parameter rate: deliveries a second, at least 1.
  init(rate: Int, now: Instant) {
    self.rate = Int64(max(1, rate))
    level = self.rate * 1_000
    filled = now
  }

  /// How many are worth being handed over together, for each time costs a transaction: what a tenth
  /// of a second brings.
  var portion: Int { Int(max(1, rate / 10)) }

  /// How many may be handed over now.
  func available(at now: Instant) -> Int { Int(max(0, level(at: now) / 1_000)) }

  /// When so many may be handed over.
  ///
  /// - Parameter count: no more than a second brings.
  func ready(for count: Int, now: Instant) -> Instant {
    let missing = min(Int64(count), rate) * 1_000 - level(at: now)
    return missing <= 0 ? now : now + TimeSpan(milliseconds: (missing + rate - 1) / rate)
  }

  mutating func take(_ count: Int, now: Instant) {
    level = level(at: now) - Int64(count) * 1_000
    filled = now
  }

  /// Gives back what was taken and not handed over.
  mutating func putBack(_ count: Int) {
    level = min(rate * 1_000, level + Int64(count) * 1_000)
  }

  /// A clock that was set back brings nothing, and takes nothing away.
  private func level(at now: Instant) -> Int64 {
    // Longer than a second brings no more.
    let elapsed = min(max(0, now.milliseconds - filled.milliseconds), 1_000 * 1_000)
    return min(rate * 1_000, level + elapsed * rate)
  }
}
