/// Rate limits by key: each key has a bucket of tokens that fills at a steady rate.
///
/// Times are of a monotonic clock.
package struct RateLimits: Sendable {
  /// The time in which a bucket gains one token.
  private let tokenInterval: Duration
  /// The time in which an empty bucket fills up.
  private let capacity: Duration
  /// The instant at which each bucket will be full again.
  private var fullAt: [String: ContinuousClock.Instant] = [:]
  /// The number of stored buckets from which `takeTokens` removes the full ones.
  private var sweepCount = 1_024

  /// - Parameters:
  ///   - rate: the average requests per second; 1 to 1,000,000.
  ///   - burst: the number of requests at once after a pause; at least 1.
  package init(rate: Int, burst: Int) {
    self.init(every: .nanoseconds(1_000_000_000 / min(max(1, rate), 1_000_000)), burst: burst)
  }

  /// - Parameters:
  ///   - interval: the time in which a bucket gains one token.
  ///   - burst: the number of requests at once after a pause; at least 1.
  package init(every interval: Duration, burst: Int) {
    tokenInterval = interval
    capacity = interval * max(1, burst)
  }

  /// Removes tokens and returns nil. If the bucket has too few, it removes none and returns the
  /// time to wait.
  ///
  /// - Parameter count: the number of tokens. If a full bucket has fewer, every call fails, and the
  ///   returned time means nothing.
  /// - Complexity: amortized constant. Memory is bounded by the number of keys that are used in the
  ///   time that a bucket takes to fill.
  package mutating func takeTokens(
    for key: String, count: Int = 1, at now: ContinuousClock.Instant
  ) -> Duration? {
    let full = max(fullAt[key] ?? now, now) + tokenInterval * count
    let excess = now.duration(to: full) - capacity
    guard excess <= .zero else { return excess }
    if fullAt.count >= sweepCount { sweep(at: now) }
    fullAt[key] = full
    return nil
  }

  /// Puts back tokens that were removed for a request and not used.
  ///
  /// - Parameter count: at most as many as were removed. Tokens beyond a full bucket are lost.
  package mutating func refund(_ count: Int, to key: String) {
    if let full = fullAt[key] { fullAt[key] = full - tokenInterval * count }
  }

  /// The number of stored buckets, for tests.
  package var count: Int { fullAt.count }

  private mutating func sweep(at now: ContinuousClock.Instant) {
    fullAt = fullAt.filter { $0.value > now }
    sweepCount = max(1_024, fullAt.count * 2)
  }
}
