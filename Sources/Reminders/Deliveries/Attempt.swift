package import CivilTime

/// One try to hand a delivery to a sink, and what came of it; or that the gates kept it from a try.
package struct Attempt: Hashable, Sendable {
  /// Raw values are stored: never renumber.
  package enum Verdict: UInt8, Sendable {
    case delivered = 1
    case retry = 2
    case rejected = 3
    /// The gates did not let it go (rule V7).
    case dropped = 4

    package var name: String { "\(self)" }
  }

  package var notification: Int64
  package var channel: Channel
  package var sink: String
  package var at: Instant
  package var verdict: Verdict
  /// What came back, in the words of the sink's protocol, such as "410"; nil if nothing did.
  package var status: String?
  /// The beginning of what the other side said.
  package var excerpt: String
  package var duration: TimeSpan?
  /// Why it was not delivered; empty if it was.
  package var reason: String

  package init(
    of delivery: Delivery, by sink: String, at: Instant, _ verdict: Verdict, reason: String = "",
    status: String? = nil, excerpt: String = "", duration: TimeSpan? = nil
  ) {
    self.init(
      notification: delivery.notification, channel: delivery.channel, sink: sink, at: at,
      verdict: verdict, status: status, excerpt: excerpt, duration: duration, reason: reason)
  }

  package init(
    notification: Int64, channel: Channel, sink: String, at: Instant, verdict: Verdict,
    status: String?, excerpt: String, duration: TimeSpan?, reason: String
  ) {
    self.notification = notification
    self.channel = channel
    self.sink = sink
    self.at = at
    self.verdict = verdict
    self.status = status
    self.excerpt = excerpt
    self.duration = duration
    self.reason = reason
  }
}
