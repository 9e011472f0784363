package import CivilTime
package import Reminders

/// Changes to deliveries that are written together, in the order of the members: so a delivery
/// whose retry ends can get a new one on another channel, and a waiting delivery can be dispatched
/// at once.
package struct DeliveryChanges: Sendable {
  /// Identifies a delivery in the store.
  package struct Key: Hashable, Sendable {
    package var notification: Int64
    package var channel: Channel

    package init(notification: Int64, channel: Channel) {
      (self.notification, self.channel) = (notification, channel)
    }

    package init(_ delivery: Delivery) {
      self.init(notification: delivery.notification, channel: delivery.channel)
    }
  }

  /// A later verdict on a notification that no sink has accepted. The earlier gate trace stays on
  /// record (rule V8).
  package struct Verdict: Sendable {
    package var notification: Int64
    package var outcome: Outcome
    package var trace: GateTrace
  }

  /// A delivery that waits for its next attempt. Without `due` it is a dead letter. It replaces any
  /// earlier entry for the delivery.
  package struct Waiting: Sendable {
    package var retry: Retry
    package var due: Instant?
    package var reason: String
  }

  /// The maximum number of attempts stored for a delivery; the latest are kept.
  package static let attemptsMax = 50

  /// The maximum length of a stored reason, in characters.
  package static let reasonMax = 500

  /// Results of the first attempts of deliveries, in ascending order of notifications.
  package var firstAttempts: [Attempt] = []
  /// Results of later attempts.
  package var laterAttempts: [Attempt] = []
  /// The verdicts in order: a notification may have several.
  package private(set) var verdicts: [Verdict] = []
  /// The channels that replace a failed one, by notification.
  package private(set) var fallbacks: [(notification: Int64, channel: Channel)] = []
  /// Deliveries whose retries have ended.
  package private(set) var ended: [Key] = []
  package private(set) var waiting: [Waiting] = []
  /// Retries that are about to be dispatched.
  package private(set) var dispatched: [Key] = []
  /// Retries that were dispatched and that the sink no longer has.
  package private(set) var requeued: [Key] = []
  /// Retries that are not due before an instant.
  package private(set) var postponed: [(key: Key, until: Instant)] = []

  package init() {}

  package var isEmpty: Bool {
    firstAttempts.isEmpty && laterAttempts.isEmpty && verdicts.isEmpty && fallbacks.isEmpty
      && ended.isEmpty && waiting.isEmpty && dispatched.isEmpty && requeued.isEmpty
      && postponed.isEmpty
  }

  package mutating func settle(_ notification: Int64, outcome: Outcome, trace: GateTrace) {
    verdicts.append(Verdict(notification: notification, outcome: outcome, trace: trace))
  }

  package mutating func addFallback(_ channel: Channel, to notification: Int64) {
    fallbacks.append((notification, channel))
  }

  package mutating func end(_ delivery: Delivery) { ended.append(Key(delivery)) }

  package mutating func wait(_ retry: Retry, due: Instant?, reason: String) {
    waiting.append(Waiting(retry: retry, due: due, reason: reason))
  }

  package mutating func dispatch(_ delivery: Delivery) { dispatched.append(Key(delivery)) }

  package mutating func requeue(_ delivery: Delivery) { requeued.append(Key(delivery)) }

  package mutating func postpone(_ delivery: Delivery, until due: Instant) {
    postponed.append((Key(delivery), due))
  }
}

/// How far a notification has come: its channels, and those on which it was dropped.
package struct DeliveryStanding: Hashable, Sendable {
  /// The channels that it was sent on or will be sent on, including fallbacks.
  package var channels: ChannelSet
  /// The channels on which the gates dropped it.
  package var dropped: ChannelSet

  package init(channels: ChannelSet, dropped: ChannelSet = []) {
    (self.channels, self.dropped) = (channels, dropped)
  }

  /// Whether the gates dropped it on all its channels.
  package var isDroppedEverywhere: Bool { dropped.isSuperset(of: channels) }
}
