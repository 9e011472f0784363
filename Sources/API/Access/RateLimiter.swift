import Access
import HTTPTypes
import Synchronization

/// Keeps each of many to a rate, so that none can exhaust the service for the others.
final class RateLimiter: Sendable {
  private let limits: Mutex<RateLimits>
  private let clock: @Sendable () -> ContinuousClock.Instant

  init(rate: Int, burst: Int, clock: @escaping @Sendable () -> ContinuousClock.Instant) {
    limits = Mutex(RateLimits(rate: rate, burst: burst))
    self.clock = clock
  }

  /// - Parameters:
  ///   - key: who it is.
  ///   - reason: what they are told if they have to wait; how long is added.
  func admit(_ key: String, else reason: String) throws(Problem) {
    let now = clock()
    guard let wait = limits.withLock({ $0.wait(for: key, at: now) }) else { return }
    let seconds = max(1, wait.components.seconds + (wait.components.attoseconds > 0 ? 1 : 0))
    throw Problem(
      .tooManyRequests, "\(reason); wait \(seconds) s", headers: [.retryAfter: "\(seconds)"])
  }
}
