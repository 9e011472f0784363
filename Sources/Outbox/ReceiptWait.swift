package import CivilTime
package import Reminders
package import Store

/// The wait for a receipt of an accepted delivery, whose category names the channel that follows
/// without one (rule D13). That channel has a retry that is due at the end of the wait.
package struct ReceiptWait: Sendable {
  private let confirmation: Confirmation
  /// The deliveries of the notification.
  private let states: [DeliveryState]

  package init(_ confirmation: Confirmation, _ states: [DeliveryState]) {
    (self.confirmation, self.states) = (confirmation, states)
  }

  /// The retry that waits for a receipt; nil if there is none.
  private var waiting: DeliveryState? {
    states.first { state in
      guard state.channel == confirmation.channel, case .retrying(0, _, _) = state.progress else {
        return false
      }
      return state.attempts.isEmpty
    }
  }

  /// Returns the changes that begin the wait; nil if there is nothing to wait for: the notification
  /// is on the other channel anyway, has a receipt, or expires before the end of the wait.
  ///
  /// - Parameter sink: the first sink of the other channel.
  package func begin(_ delivery: Delivery, by sink: String, now: Instant) -> DeliveryChanges? {
    let due = now + confirmation.within
    let isDone = states.contains { state in
      state.channel == confirmation.channel || state.publicState == .received
    }
    guard !isDone, delivery.channel != .inapp, due <= delivery.expiry,
      states.contains(where: { $0.channel == delivery.channel })
    else { return nil }
    var next = Retry(sink: sink, delivery: delivery, attempts: 0)
    next.delivery.channel = confirmation.channel
    var changes = DeliveryChanges()
    changes.addFallback(confirmation.channel, to: delivery.notification)
    changes.wait(
      next, due: due,
      reason: "\(delivery.channel.name) has no receipt within \(confirmation.within)")
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
