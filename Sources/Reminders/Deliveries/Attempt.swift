package import CivilTime

/// A record about a delivery. The record is of an attempt to transmit the delivery, or of a gate
/// that prevented the attempt. It may also be a report of the delivery's later state, or a step of
/// the delivery's withdrawal.
package struct Attempt: Hashable, Sendable {
  /// Raw values are stored: never renumber.
  package enum Verdict: UInt8, CaseIterable, Sendable {
    /// The sink's service accepted the delivery.
    case delivered = 1
    /// The attempt failed, and the delivery may be attempted again.
    case retry = 2
    /// The attempt failed, and the sink does not attempt the delivery again.
    case rejected = 3
    /// Before the attempt, a gate dropped the delivery (rule V7), or a receipt made it unnecessary
    /// (rule D13).
    case dropped = 4
    /// A report: a device or a mailbox has the notification (`DeliveryReport.State`).
    case received = 5
    /// A report: the sink's service could not deliver the notification.
    case failed = 6
    /// A report: the address does not exist or accepts nothing.
    case bounced = 7
    /// A report: the recipient reported the notification as unwanted.
    case complained = 8
    /// An accepted delivery is being withdrawn from its sink's service (rule D16).
    case withdrawing = 9
    /// The sink's service accepted the withdrawal.
    case withdrawn = 10
    /// The sink's service did not accept the withdrawal.
    case notWithdrawn = 11

    package var name: String { "\(self)" }

    /// Whether the record is a report of the delivery's later state.
    package var isReport: Bool {
      switch self {
      case .received, .failed, .bounced, .complained: true
      case .delivered, .retry, .rejected, .dropped, .withdrawing, .withdrawn, .notWithdrawn: false
      }
    }

    /// Whether the record is about an attempt to deliver, which the gates may have prevented.
    package var isAttempt: Bool { !isReport && !isWithdrawal }

    /// Whether the record is about a withdrawal and is no attempt to deliver.
    package var isWithdrawal: Bool {
      switch self {
      case .withdrawing, .withdrawn, .notWithdrawn: true
      default: false
      }
    }
  }

  /// The number of the notification's row.
  package var notification: Int64
  package var channel: Channel
  /// The name of the sink.
  package var sink: String
  /// The instant of the sink's answer or of the decision of the gates; for a report, the time of
  /// its event.
  package var at: Instant
  package var verdict: Verdict
  /// The status in the sink's protocol, such as "410"; nil if there was no response.
  package var status: String?
  /// The beginning of the response of the sink's service.
  package var excerpt: String
  /// The duration of the attempt; nil if it is unknown.
  package var duration: TimeSpan?
  /// The reason why the attempt did not succeed, or the words of a report; empty if there are none.
  package var reason: String

  package init(
    of delivery: Delivery, by sink: String, at: Instant, _ verdict: Verdict, reason: String = "",
    status: String? = nil, excerpt: String = "", duration: TimeSpan? = nil
  ) {
    self.init(
      notification: delivery.notification, channel: delivery.channel, sink: sink, at: at,
      verdict: verdict, status: status, excerpt: excerpt, duration: duration, reason: reason)
  }

  /// Creates the record of a report about a sink's delivery.
  package init(_ report: DeliveryReport, of notification: Int64, by sink: String, at: Instant) {
    self.init(
      notification: notification, channel: report.channel, sink: sink, at: at,
      verdict: report.state.verdict, status: nil, excerpt: "", duration: nil,
      reason: report.reason)
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
