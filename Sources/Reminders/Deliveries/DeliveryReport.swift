package import CivilTime

/// A report of the later state of a delivery that a sink's service accepted (rule D11).
package struct DeliveryReport: Hashable, Sendable {
  /// The reported states. Their names are in stored events: never rename them.
  package enum State: String, CaseIterable, Sendable {
    /// A device or a mailbox has the notification.
    case received
    /// The service could not deliver the notification.
    case failed
    /// The address does not exist or accepts nothing.
    case bounced
    /// The recipient reported the notification as unwanted.
    case complained

    package init?(_ verdict: Attempt.Verdict) {
      guard let state = Self.allCases.first(where: { $0.verdict == verdict }) else { return nil }
      self = state
    }

    /// The verdict of the attempt that stores the report.
    package var verdict: Attempt.Verdict {
      switch self {
      case .received: .received
      case .failed: .failed
      case .bounced: .bounced
      case .complained: .complained
      }
    }

    /// The rank of the state. A report replaces only a report of a lower rank. So a repeated report
    /// changes nothing, and a late report of a failure does not change a received delivery.
    private var rank: Int {
      switch self {
      case .failed: 1
      case .bounced: 2
      case .received: 3
      case .complained: 4
      }
    }

    /// Whether the recipient has the notification, so that no other channel has to follow (rule
    /// D13).
    package var endsWait: Bool { self == .received || self == .complained }

    package func replaces(_ other: State?) -> Bool { rank > (other?.rank ?? 0) }
  }

  /// The id of the notification, which the delivery contained.
  package var notification: String
  package var channel: Channel
  package var state: State
  /// The reason in the service's words; empty if there is none.
  package var reason: String
  /// The instant at which the delivery was sent; nil if the reporter does not know it. A bounce
  /// suppresses an address only if no app has reported the address after this instant.
  package var sent: Instant?

  package init(
    notification: String, channel: Channel, state: State, reason: String = "", sent: Instant? = nil
  ) {
    self.notification = notification
    self.channel = channel
    self.state = state
    self.reason = reason
    self.sent = sent
  }

  /// The names of the channels whose deliveries can be reported: all except the inbox, which has no
  /// service.
  package static let channels = Channel.allCases.filter { $0 != .inapp }.map(\.name)
}

extension DeliveryState {
  /// The report of the service or the device; nil if there is none.
  package var report: Attempt? { attempts.first { $0.verdict.isReport } }

  /// The reported state; nil without a report.
  package var reportedState: DeliveryReport.State? {
    report.flatMap { DeliveryReport.State($0.verdict) }
  }

  /// Returns whether a report changes the delivery's state. A report may do so even before the
  /// sink's own answer is recorded, but not after the gates have dropped the delivery.
  package func isChanged(by report: DeliveryReport) -> Bool {
    guard channel != .inapp, report.channel == channel, report.state.replaces(reportedState) else {
      return false
    }
    if case .dropped = progress { return false }
    return true
  }
}
