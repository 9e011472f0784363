package import CivilTime
package import Reminders
package import Store

/// The wait for a receipt of an accepted delivery. The delivery's category names the channel that
/// follows if no receipt arrives (rule D13). That channel has a retry that is due at the end of the
/// wait.
package struct ReceiptWait: Sendable {
  /// The words in the reason of a waiting retry, which distinguish it from other retries.
  private static let words = " has no receipt within "

  /// The deliveries of the notification.
  private let states: [DeliveryState]

  package init(_ states: [DeliveryState]) {
    self.states = states
  }

  /// The retry that waits for a receipt; nil if there is none.
  package var waiting: DeliveryState? {
    states.first { state in
      guard case .retrying(0, _, let reason) = state.progress else { return false }
      return reason.contains(Self.words)
    }
  }

  /// Returns the changes that begin the wait; nil if no receipt is needed or none is possible. The
  /// notification may be on the other channel anyway, have a receipt, or expire before the end of
  /// the wait.
  ///
  /// - Parameters:
  ///   - confirmation: the category's other channel, and the length of the wait.
  ///   - delivery: the accepted delivery.
  ///   - sink: the first sink of the other channel.
  package func begin(
    _ confirmation: Confirmation, _ delivery: Delivery, by sink: String, now: Instant
  ) -> DeliveryChanges? {
    let due = now + confirmation.within
    let isUnneeded = states.contains { state in
      state.channel == confirmation.channel || state.reportedState?.endsWait == true
    }
    guard !isUnneeded, delivery.channel != .inapp, due <= delivery.expiry,
      states.contains(where: { $0.channel == delivery.channel })
    else { return nil }
    var fallback = Retry(sink: sink, delivery: delivery, attempts: 0)
    fallback.delivery.channel = confirmation.channel
    var changes = DeliveryChanges()
    changes.addFallback(confirmation.channel, to: delivery.notification)
    changes.wait(
      fallback, due: due,
      reason: delivery.channel.name + Self.words + "\(confirmation.within)")
    return changes
  }

  /// Returns the changes that end the wait because of a receipt; nil if there is no wait.
  package func end(of notification: Int64, at now: Instant) -> DeliveryChanges? {
    guard let waiting else { return nil }
    var changes = DeliveryChanges()
    changes.laterAttempts = [
      Attempt(
        notification: notification, channel: waiting.channel, sink: waiting.sink, at: now,
        verdict: .dropped, status: nil, excerpt: "", duration: nil, reason: "a receipt arrived")
    ]
    changes.end(
      DeliveryChanges.Key(notification: notification, channel: waiting.channel))
    return changes
  }
}
