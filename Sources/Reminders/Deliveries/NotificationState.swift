package import CivilTime

/// The state of a notification, as a whole or on one channel (rule D6).
package enum NotificationState: String, CaseIterable, Sendable {
  /// The notification waits for a sink's answer.
  case sending
  /// A sink accepted the notification, or it is in the inbox.
  case delivered
  /// No sink accepted the notification, and no attempt is left.
  case failed
  /// The gates dropped the notification.
  case dropped
  /// The notification was sent as part of a digest.
  case bundled

  /// Combines the states of all channels. One delivered channel is enough, and as long as a channel
  /// may still deliver the notification, it has not failed.
  package init(of states: some Sequence<NotificationState>) {
    let states = Set(states)
    let order: [NotificationState] = [.delivered, .sending, .failed, .bundled]
    self = order.first(where: states.contains) ?? .dropped
  }
}

/// The state of a notification on one channel, with its reasons.
package struct DeliveryHistory: Hashable, Sendable {
  package var channel: Channel
  package var state: NotificationState
  package var planned: Instant
  /// The instant of the decision, or of the sink's acceptance if that was later.
  package var at: Instant
  /// The gates that held or dropped the notification.
  package var reasons: [String]
  /// The reason of the sink that did not accept the notification; nil if there is none.
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
  /// The public state. A notification in the inbox is delivered, whatever a sink does with it.
  package var publicState: NotificationState {
    guard channel != .inapp else { return .delivered }
    return switch progress {
    case .waiting, .retrying: .sending
    case .delivered: .delivered
    case .dead, .failed: .failed
    case .dropped: .dropped
    }
  }

  /// The reason of the sink that did not accept the notification; nil if there is none.
  package var obstacle: String? {
    switch progress {
    case .waiting, .delivered, .dropped: nil
    case .retrying(_, _, let reason), .dead(_, let reason), .failed(let reason): reason
    }
  }
}

extension PastNotification {
  /// Returns the notification's state (rule D6).
  package func state(_ deliveries: [DeliveryState]) -> NotificationState {
    switch outcome {
    case .dropped: .dropped
    case .bundled: .bundled
    case .delivered where channelGroup == .inapp: .delivered
    case .delivered:
      deliveries.isEmpty ? .sending : NotificationState(of: deliveries.map(\.publicState))
    }
  }
}
