/// How often each of many may ask: a bucket of tokens for each, which fills at a steady rate.
///
/// Time is counted by a clock that nobody sets.
package struct RateLimits: Sendable {
  /// How long it takes until one more may be asked, and until a bucket is full.
  private let cost: Duration
  private let capacity: Duration
  /// When each bucket will be full again; one that is full is not kept.
  private var fullAt: [String: ContinuousClock.Instant] = [:]
  private var sweepAt = 1_024

  /// - Parameters:
  ///   - rate: how many a second, on average; 1 to 1,000,000.
  ///   - burst: how many at once, after a rest; at least 1.
  package init(rate: Int, burst: Int) {
    self.init(every: .nanoseconds(1_000_000_000 / min(max(1, rate), 1_000_000)), burst: burst)
  }

  /// - Parameters:
  ///   - interval: the time in which a bucket gains one token.
  ///   - burst: how many at once, after a rest; at least 1.
  package init(every interval: Duration, burst: Int) {
    cost = interval
    capacity = cost * max(1, burst)
  }

  /// Lets somebody ask once more, or says how long they have to wait until they may. Whoever is
  /// told to wait has not used anything up.
  ///
  /// - Parameter count: how many tokens to take at once. More than a full bucket has are never
  ///   there; the wait for them says nothing.
  /// - Complexity: amortized constant; memory is bounded by how many asked in the time that a
  ///   bucket takes to fill.
  package mutating func wait(
    for key: String, count: Int = 1, at now: ContinuousClock.Instant
  ) -> Duration? {
    let full = max(fullAt[key] ?? now, now) + cost * count
    let excess = now.duration(to: full) - capacity
    guard excess <= .zero else { return excess }
    if fullAt.count >= sweepAt { sweep(at: now) }
    fullAt[key] = full
    return nil
  }

  /// How many are not full; for the test that they are forgotten.
  package var count: Int { fullAt.count }

  private mutating func sweep(at now: ContinuousClock.Instant) {
    fullAt = fullAt.filter { $0.value > now }
    sweepAt = max(1_024, fullAt.count * 2)
  }
}
