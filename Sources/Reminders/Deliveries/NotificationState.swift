package import CivilTime

/// The state of a notification, as a whole or on one channel (rule D6).
package enum NotificationState: String, CaseIterable, Sendable {
  /// The notification waits for a sink's answer.
  case sending
  /// A sink's service accepted the notification, or the notification is in the inbox.
  case accepted
  /// A device or a mailbox has the notification (rule D11).
  case received
  /// The recipient reported the notification as unwanted.
  case complained
  /// No sink accepted the notification, and no attempt is left; or the sink's service could not
  /// deliver it.
  case failed
  /// The address does not exist or accepts nothing.
  case bounced
  /// The gates dropped the notification.
  case dropped
  /// The notification was sent as part of a digest.
  case bundled

  /// Combines the states of all channels. A notification is delivered if one channel has delivered
  /// it. It has not failed as long as a channel may still deliver it.
  package init(of states: some Sequence<NotificationState>) {
    let states = Set(states)
    let order: [NotificationState] = [
      .received, .accepted, .complained, .sending, .bounced, .failed, .bundled,
    ]
    self = order.first(where: states.contains) ?? .dropped
  }

  /// The states of delivered notifications.
  package static let delivered: Set<NotificationState> = [.accepted, .received, .complained]

  /// Whether the notification is delivered: accepted, and not known to have failed afterwards.
  package var isDelivered: Bool { Self.delivered.contains(self) }
}

/// The state of a notification on one channel, with its reasons.
package struct DeliveryHistory: Hashable, Sendable {
  package var channel: Channel
  package var state: NotificationState
  /// The planned instant of the notification's occurrence.
  package var planned: Instant
  /// The instant at which the notification was decided; for an accepted or reported delivery, the
  /// instant of the acceptance or the report.
  package var at: Instant
  /// The gates that held or dropped the notification.
  package var reasons: [String]
  /// The reason of the sink or service that did not deliver the notification; nil if there is none.
  package var obstacle: String?

  package init(
    channel: Channel, state: NotificationState, planned: Instant, at: Instant, reasons: [String],
    obstacle: String? = nil
  ) {
    self.channel = channel
    self.state = state
    self.planned = planned
    self.at = at
    self.reasons = reasons
    self.obstacle = obstacle
  }
}

extension DeliveryState {
  /// The public state. A notification in the inbox is accepted, whatever a sink does with it. On
  /// other channels, a report takes precedence over the sink's answer.
  package var publicState: NotificationState {
    guard channel != .inapp else { return .accepted }
    if let reportedState { return NotificationState(reportedState) }
    return switch progress {
    case .waiting, .retrying: .sending
    case .delivered: .accepted
    case .dead, .failed: .failed
    case .dropped: .dropped
    }
  }

  /// The reason of the sink or service that did not deliver the notification; nil if there is none.
  package var obstacle: String? {
    if let report { return report.reason.isEmpty ? nil : report.reason }
    return switch progress {
    case .waiting, .delivered, .dropped: nil
    case .retrying(_, _, let reason), .dead(_, let reason), .failed(let reason): reason
    }
  }
}

extension PastNotification {
  /// Returns the notification's state (rule D6). A message to other people has no deliveries (rule
  /// G18).
  package func state(_ deliveries: [DeliveryState]) -> NotificationState {
    switch outcome {
    case .dropped: .dropped
    case .bundled: .bundled
    case .delivered where channelGroup == .inapp: .accepted
    case .delivered where channels.isEmpty: .accepted
    case .delivered:
      deliveries.isEmpty ? .sending : NotificationState(of: deliveries.map(\.publicState))
    }
  }
}

extension NotificationState {
  fileprivate init(_ state: DeliveryReport.State) {
    self =
      switch state {
      case .received: .received
      case .failed: .failed
      case .bounced: .bounced
      case .complained: .complained
      }
  }
}
