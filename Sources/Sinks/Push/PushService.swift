package import CivilTime
package import Delivery
package import Reminders

/// A service that shows a notification on one device: Apple's or Google's.
package protocol PushService: Sendable {
  /// Which devices it reaches, by the app's word for what they are.
  var platforms: Set<String> { get }

  /// Whether a device is one of its own.
  func reaches(_ device: Device) -> Bool

  /// - Parameter deadline: when to give up.
  func push(
    _ delivery: Delivery, to device: Device, before deadline: ContinuousClock.Instant
  ) async -> PushResult
}

extension PushService {
  /// A browser that is reached at an endpoint of its own has no token.
  package func reaches(_ device: Device) -> Bool {
    platforms.contains(device.platform)
      && device.token.flatMap { WebPushSubscription(text: $0) } == nil
  }
}

/// What came of a notification on one device.
package struct PushResult: Sendable {
  package enum Outcome: Hashable, Sendable {
    case delivered
    /// The device is not there any more.
    case gone(reason: String)
    /// Never on this device.
    case rejected(reason: String)
    /// Not now.
    case retry(after: TimeSpan?, reason: String)
    /// The service takes nothing from us now, whatever the device.
    case outage(reason: String)
  }

  package let outcome: Outcome
  /// Nil if the service said nothing.
  package let response: SinkResponse?

  package init(_ outcome: Outcome, response: SinkResponse? = nil) {
    self.outcome = outcome
    self.response = response
  }

  var isOutage: Bool { if case .outage = outcome { true } else { false } }

  package init(_ failure: ExchangeFailure) {
    switch failure {
    case .unreachable(let reason): self.init(.outage(reason: reason))
    case .unprocessed, .lost, .overdue: self.init(.retry(after: nil, reason: failure.reason))
    }
  }
}
