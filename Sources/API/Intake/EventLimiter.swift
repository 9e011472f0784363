import Access
import HTTPTypes

/// Limits the events and other changes that a recipient's own tokens send, because each is stored
/// until the retention of events ends (rules H7, H15).
struct EventLimiter: Sendable {
  private let limiter: RateLimiter
  /// The maximum number of events that a recipient's tokens may send at once.
  private let eventsMax: Int

  init(_ limits: APILimits, clock: @escaping @Sendable () -> ContinuousClock.Instant) {
    eventsMax = limits.recipientEvents
    limiter = RateLimiter(
      RateLimits(every: limits.recipientEventInterval, burst: eventsMax), clock: clock)
  }

  /// Counts events against the caller's limit. Apps have no limit. The node that forwards a request
  /// has counted its events.
  ///
  /// - Throws: a refusal beyond the limit; then nothing is counted.
  func count(_ count: Int, of caller: Caller, from origin: ConnectionOrigin) throws(Problem) {
    guard let recipient = Self.recipient(count, caller, origin) else { return }
    guard count <= eventsMax else {
      throw Problem(
        .tooManyRequests,
        "a recipient's token may send \(eventsMax) events at once; these are \(count); nothing was "
          + "accepted; send fewer",
        headers: [.retryAfter: "1"])
    }
    try limiter.admit(
      recipient, count: count,
      else: "this recipient's tokens have sent too many events; nothing was accepted")
  }

  /// Undoes `count` for events that the service could not accept.
  func refund(_ count: Int, of caller: Caller, from origin: ConnectionOrigin) {
    guard let recipient = Self.recipient(count, caller, origin) else { return }
    limiter.refund(recipient, count: count)
  }

  /// Returns the recipient whose limit applies; nil if no limit applies.
  private static func recipient(
    _ count: Int, _ caller: Caller, _ origin: ConnectionOrigin
  ) -> String? {
    count > 0 && !origin.isNode ? caller.scope.recipient : nil
  }
}

extension EventLimiter {
  /// Submits events within the caller's limit. Events that the service cannot accept do not count.
  func submit(
    _ group: EventGroup, to intake: EventIntake, for caller: Caller, from origin: ConnectionOrigin
  ) async throws(Problem) -> [EventAnswer] {
    try count(group.count, of: caller, from: origin)
    do {
      let answers = try await group.submit(to: intake)
      refund(answers.count(where: \.isServiceFault), of: caller, from: origin)
      return answers
    } catch {
      refund(group.count, of: caller, from: origin)
      throw Problem(error)
    }
  }
}
