import Access
import HTTPTypes

/// Limits how many events and other changes a person's own tokens send: each is kept for as long
/// as events are (rules H6, H7).
struct EventShares: Sendable {
  private let limiter: RateLimiter
  private let atOnce: Int

  init(_ limits: APILimits, clock: @escaping @Sendable () -> ContinuousClock.Instant) {
    atOnce = limits.recipientEvents
    limiter = RateLimiter(
      RateLimits(every: limits.recipientEventInterval, burst: atOnce), clock: clock)
  }

  /// Takes so many of the caller's share. Apps have no limit, and the node that a request came to
  /// has counted what it passes on.
  ///
  /// - Throws: a refusal, after which nothing is taken.
  func take(_ count: Int, of caller: Caller, from origin: ConnectionOrigin) throws(Problem) {
    guard count > 0, let recipient = caller.scope.recipient, !origin.isNode else { return }
    guard count <= atOnce else {
      throw Problem(
        .tooManyRequests,
        "a recipient's token may send \(atOnce) events at once; these are \(count); nothing was "
          + "taken in; send fewer",
        headers: [.retryAfter: "1"])
    }
    try limiter.admit(
      recipient, count: count,
      else: "this recipient's tokens have sent too many events; nothing was taken in")
  }
}
