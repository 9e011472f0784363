package import CivilTime
package import Reminders

/// What has become of deliveries, gathered to be written in one go: in the order of its members, so
/// that a delivery whose retry ends may have another on another channel, and what waits again may
/// be with its sink at once.
package struct DeliveryChanges: Sendable {
  /// A delivery, as the store knows it.
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

  /// A later verdict on a notification that no sink has taken; what the gates said before stays
  /// known (rule V8).
  package struct Verdict: Sendable {
    package var notification: Int64
    package var outcome: Outcome
    package var trace: GateTrace
  }

  /// A delivery to be attempted again; a dead letter if it is not due any more. It waits nowhere
  /// else then.
  package struct Waiting: Sendable {
    package var retry: Retry
    package var due: Instant?
    package var reason: String
  }

  /// How many attempts of one delivery are kept: the latest.
  package static let attemptsMax = 50

  /// How long a reason is that is kept, in characters.
  package static let reasonMax = 500

  /// What became of the first attempts of deliveries, whose notifications ascend.
  package var firstAttempts: [Attempt] = []
  /// What became of attempts after others.
  package var laterAttempts: [Attempt] = []
  /// In order, for there may be several on one notification.
  package private(set) var verdicts: [Verdict] = []
  /// The channels that take over from one that has failed, by notification.
  package private(set) var fallbacks: [(notification: Int64, channel: Channel)] = []
  /// What is attempted on its own no more.
  package private(set) var ended: [Key] = []
  package private(set) var waiting: [Waiting] = []
  /// The retries that a sink is about to be handed.
  package private(set) var handed: [Key] = []
  /// Those that the sink does not have any more.
  package private(set) var returned: [Key] = []
  /// Those that may be due no sooner than at an instant.
  package private(set) var postponed: [(key: Key, until: Instant)] = []

  package init() {}

  package var isEmpty: Bool {
    firstAttempts.isEmpty && laterAttempts.isEmpty && verdicts.isEmpty && fallbacks.isEmpty
      && ended.isEmpty && waiting.isEmpty && handed.isEmpty && returned.isEmpty
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

  package mutating func hand(_ delivery: Delivery) { handed.append(Key(delivery)) }

  package mutating func takeBack(_ delivery: Delivery) { returned.append(Key(delivery)) }

  package mutating func postpone(_ delivery: Delivery, until due: Instant) {
    postponed.append((Key(delivery), due))
  }
}

/// Where a notification has gone so far.
package struct DeliveryStanding: Hashable, Sendable {
  /// The channels that it has gone out on, or is going to, in whichever way.
  package var channels: ChannelSet
  /// Those on which the gates have stopped it.
  package var dropped: ChannelSet

  package init(channels: ChannelSet, dropped: ChannelSet = []) {
    (self.channels, self.dropped) = (channels, dropped)
  }

  /// Whether the gates have stopped it on every channel that it was to go out on.
  package var isDroppedEverywhere: Bool { dropped.isSuperset(of: channels) }
}
