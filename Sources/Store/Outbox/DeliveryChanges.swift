package import CivilTime
package import Reminders

/// Changes to deliveries that are written together, in the order of the properties. So a
/// notification whose retry ends can get a retry on another channel, and a waiting delivery can be
/// dispatched at once.
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

  /// A later verdict on a notification that no sink has accepted. The gates' earlier findings stay
  /// recorded too (rule V8).
  package struct Verdict: Sendable {
    package var notification: Int64
    package var outcome: Outcome
    /// The findings of the gates at the later evaluation.
    package var trace: GateTrace
  }

  /// A delivery that waits for its next attempt, or a dead letter if `due` is nil. The entry
  /// replaces any earlier entry for the delivery.
  package struct Waiting: Sendable {
    package var retry: Retry
    /// The instant of the next attempt; nil for a dead letter.
    package var due: Instant?
    /// The reason why the last attempt failed, or why the delivery waits.
    package var reason: String
  }

  /// The maximum number of attempts stored for a delivery. The latest attempts are kept.
  package static let attemptsMax = 50

  /// The maximum length of a stored reason, in characters.
  package static let reasonMax = 500

  /// The results of deliveries' first attempts, in ascending order of notifications.
  package var firstAttempts: [Attempt] = []
  /// The results of later attempts.
  package var laterAttempts: [Attempt] = []
  /// Reports about deliveries. A report replaces the delivery's previous report.
  package var reports: [Attempt] = []
  /// Steps of withdrawals. The decision to withdraw a delivery and its result are stored once each.
  package var withdrawals: [Attempt] = []
  /// The verdicts in order. A notification may have several.
  package private(set) var verdicts: [Verdict] = []
  /// The channels that replace failed channels, each with its notification.
  package private(set) var fallbacks: [(notification: Int64, channel: Channel)] = []
  /// Deliveries whose retries have ended.
  package private(set) var ended: [Key] = []
  /// Deliveries that wait from now on, and new dead letters.
  package private(set) var waiting: [Waiting] = []
  /// Retries that are about to be dispatched.
  package private(set) var dispatched: [Key] = []
  /// Dispatched retries that are no longer in flight and have no answer, so that they wait again.
  package private(set) var requeued: [Key] = []
  /// Retries that must not become due before an instant. Later due times stay.
  package private(set) var postponed: [(key: Key, until: Instant)] = []

  package init() {}

  package var isEmpty: Bool {
    firstAttempts.isEmpty && laterAttempts.isEmpty && reports.isEmpty
      && withdrawals.isEmpty && verdicts.isEmpty && fallbacks.isEmpty && ended.isEmpty
      && waiting.isEmpty && dispatched.isEmpty && requeued.isEmpty && postponed.isEmpty
  }

  /// Adds a later verdict on a notification.
  package mutating func settle(_ notification: Int64, outcome: Outcome, trace: GateTrace) {
    verdicts.append(Verdict(notification: notification, outcome: outcome, trace: trace))
  }

  package mutating func addFallback(_ channel: Channel, to notification: Int64) {
    fallbacks.append((notification, channel))
  }

  /// Ends the retry of a delivery.
  package mutating func end(_ delivery: Delivery) { end(Key(delivery)) }

  package mutating func end(_ key: Key) { ended.append(key) }

  /// Adds a delivery that waits, or a dead letter.
  ///
  /// - Parameter due: the instant of the next attempt; nil for a dead letter.
  package mutating func wait(_ retry: Retry, due: Instant?, reason: String) {
    waiting.append(Waiting(retry: retry, due: due, reason: reason))
  }

  /// Ends a withdrawal with its result.
  package mutating func endWithdrawal(
    _ retry: Retry, _ result: Attempt.Verdict, at now: Instant, _ reason: String
  ) {
    withdrawals.append(Attempt(of: retry.delivery, by: retry.sink, at: now, result, reason: reason))
    end(retry.delivery)
  }

  /// Marks a retry as in flight, before it is dispatched.
  package mutating func dispatch(_ delivery: Delivery) { dispatched.append(Key(delivery)) }

  /// Marks a retry as waiting, because it is not in flight and has no answer.
  package mutating func requeue(_ delivery: Delivery) { requeued.append(Key(delivery)) }

  /// Adds a retry that is not due before an instant.
  package mutating func postpone(_ delivery: Delivery, until due: Instant) {
    postponed.append((Key(delivery), due))
  }
}

/// The progress of a notification: the channels on which it is sent, and the channels on which it
/// was dropped.
package struct ChannelProgress: Hashable, Sendable {
  /// The channels on which the notification was or will be sent, including fallbacks.
  package var channels: ChannelSet
  /// The channels on which the gates dropped the notification.
  package var dropped: ChannelSet

  package init(channels: ChannelSet, dropped: ChannelSet = []) {
    (self.channels, self.dropped) = (channels, dropped)
  }

  /// Whether the gates dropped the notification on all its channels.
  package var isDroppedEverywhere: Bool { dropped.isSuperset(of: channels) }
}
