import Access
import HTTPTypes
import Synchronization

/// Keeps each bearer to a rate, so that none can exhaust the service for the others.
final class RateLimiter: Sendable {
  private let limits: Mutex<RateLimits>
  private let clock: @Sendable () -> ContinuousClock.Instant

  init(rate: Int, burst: Int, clock: @escaping @Sendable () -> ContinuousClock.Instant) {
    limits = Mutex(RateLimits(rate: rate, burst: burst))
    self.clock = clock
  }

  /// - Parameter bearer: nil for one who is not limited.
  func admit(_ bearer: String?) throws(Problem) {
    guard let bearer else { return }
    let now = clock()
    guard let wait = limits.withLock({ $0.wait(for: bearer, at: now) }) else { return }
    let seconds = max(1, wait.components.seconds + (wait.components.attoseconds > 0 ? 1 : 0))
    throw Problem(
      .tooManyRequests,
      "your token has been used too often in too short a time; nothing was done; wait "
        + "\(seconds) s, and send many events in one batch or stream",
      headers: [.retryAfter: "\(seconds)"])
  }
}
