import Access
import HTTPTypes

/// Limits the events and other changes that a recipient's own tokens send, because each of them is
/// stored for as long as events are (rules H7, H15).
struct EventShares: Sendable {
  private let limiter: RateLimiter
  private let atOnce: Int

  init(_ limits: APILimits, clock: @escaping @Sendable () -> ContinuousClock.Instant) {
    atOnce = limits.recipientEvents
    limiter = RateLimiter(
      RateLimits(every: limits.recipientEventInterval, burst: atOnce), clock: clock)
  }

  /// Counts events against the caller's limit. Apps have no limit, and forwarded requests were
  /// counted by the node that forwards them.
  ///
  /// - Throws: a refusal beyond the limit; then nothing is counted.
  func take(_ count: Int, of caller: Caller, from origin: ConnectionOrigin) throws(Problem) {
    guard count > 0, let recipient = caller.scope.recipient, !origin.isNode else { return }
    guard count <= atOnce else {
      throw Problem(
        .tooManyRequests,
        "a recipient's token may send \(atOnce) events at once; these are \(count); nothing was "
          + "accepted; send fewer",
        headers: [.retryAfter: "1"])
    }
    try limiter.admit(
      recipient, count: count,
      else: "this recipient's tokens have sent too many events; nothing was accepted")
  }
}
