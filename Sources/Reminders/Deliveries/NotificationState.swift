package import CivilTime

/// What has become of a notification, by itself or on one channel (rule D6).
package enum NotificationState: String, CaseIterable, Sendable {
  /// It is on its way to a sink.
  case sending
  /// A sink has taken it, or it is in the inbox.
  case delivered
  /// No sink took it, and none is asked any more.
  case failed
  /// The gates did not let it go.
  case dropped
  /// It went out as part of a digest.
  case bundled

  /// What all channels come to: one that arrived is enough, and one that still may is no failure.
  package init(of states: some Sequence<NotificationState>) {
    let states = Set(states)
    let order: [NotificationState] = [.delivered, .sending, .failed, .bundled]
    self = order.first(where: states.contains) ?? .dropped
  }
}

/// What has become of a notification on one channel.
package struct DeliveryHistory: Hashable, Sendable {
  package var channel: Channel
  package var state: NotificationState
  package var planned: Instant
  /// When it was decided, or when the sink took it if that was later.
  package var at: Instant
  /// The gates that held or dropped it.
  package var reasons: [String]
  /// What the sink said that did not take it; nil if none did.
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
  /// What it is outside: whatever a sink of the app makes of it, in the inbox it has arrived.
  package var told: NotificationState {
    guard channel != .inapp else { return .delivered }
    return switch progress {
    case .waiting, .retrying: .sending
    case .handedOver: .delivered
    case .dead, .failed: .failed
    case .dropped: .dropped
    }
  }

  /// What the sink said that did not take it.
  package var obstacle: String? {
    switch progress {
    case .waiting, .handedOver, .dropped: nil
    case .retrying(_, _, let reason), .dead(_, let reason), .failed(let reason): reason
    }
  }
}

extension PastNotification {
  /// What has become of it (rule D6).
  package func state(_ deliveries: [DeliveryState]) -> NotificationState {
    switch outcome {
    case .dropped: .dropped
    case .bundled: .bundled
    case .delivered where channelGroup == .inapp: .delivered
    case .delivered: deliveries.isEmpty ? .sending : NotificationState(of: deliveries.map(\.told))
    }
  }
}
