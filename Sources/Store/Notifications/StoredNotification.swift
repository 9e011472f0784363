package import CivilTime
package import Reminders

/// Identifies one occurrence of a recipient in one channel group.
package struct OccurrenceKey: Hashable, Sendable {
  package var reminder: Symbol
  package var key: Int64
  package var row: UInt32
  package var channelGroup: ChannelGroup
  /// The round of the occurrence; see `Progress.UnderWay`.
  package var round: Int64

  package init(
    _ reminder: Symbol, _ key: Int64, row: UInt32, _ channelGroup: ChannelGroup, round: Int64 = 0
  ) {
    self.reminder = reminder
    self.key = key
    self.row = row
    self.channelGroup = channelGroup
    self.round = round
  }
}

/// A notification with its recipient's row.
package struct StoredNotification: Sendable {
  package var past: PastNotification
  package var row: UInt32

  package init(_ past: PastNotification, row: UInt32) {
    self.past = past
    self.row = row
  }
}

/// A recipient's notifications, from the latest backwards.
package struct NotificationChain: Hashable, Sendable {
  /// How the chain continues after the last of `numbers`.
  package enum End: Hashable, Sendable {
    /// The chain continues with this notification; 0 at the end.
    case next(Int64)
    /// The last of `numbers` is missing, or belongs to another recipient.
    case broken
  }

  /// The numbers, the latest first.
  package var numbers: [Int64]
  package var end: End

  package init(numbers: [Int64] = [], end: End) {
    self.numbers = numbers
    self.end = end
  }
}

/// An item of a recipient's inbox (rule N1).
package struct InboxItem: Sendable {
  /// The notification that the item shows.
  package var notification: Int64
  package var at: Instant
  package var isRead: Bool
  package var message: Message

  package init(notification: Int64, at: Instant, isRead: Bool, message: Message) {
    self.notification = notification
    self.at = at
    self.isRead = isRead
    self.message = message
  }
}

/// A notification in a recipient's history, sent or not, with the reasons (rule N6).
package struct HistoryNotification: Sendable {
  /// The notification in one channel group.
  package struct Way: Sendable {
    package var notification: Int64
    package var planned: Instant
    package var at: Instant
    package var outcome: Outcome
    /// The channels that it was sent on or will be sent on, including fallbacks.
    package var channels: ChannelSet
    package var reasons: [String]

    package init(
      notification: Int64, planned: Instant, at: Instant, outcome: Outcome, channels: ChannelSet,
      reasons: [String]
    ) {
      self.notification = notification
      self.planned = planned
      self.at = at
      self.outcome = outcome
      self.channels = channels
      self.reasons = reasons
    }
  }

  /// The notification's own channel group first, then the others.
  package var ways: [Way]
  package var isSilent: Bool
  package var isDismissed: Bool
  /// Whether its inbox item is read; nil if it has none.
  package var isRead: Bool?
  package var message: Message
  /// The recipient's previous notification; 0 if there is none.
  package var previous: Int64
  /// Whether no earlier notification was about the same occurrence or batch.
  package var standsForItself: Bool

  package init(
    ways: [Way], isSilent: Bool, isDismissed: Bool, isRead: Bool?, message: Message,
    previous: Int64, standsForItself: Bool
  ) {
    self.ways = ways
    self.isSilent = isSilent
    self.isDismissed = isDismissed
    self.isRead = isRead
    self.message = message
    self.previous = previous
    self.standsForItself = standsForItself
  }

  package var own: Way { ways[0] }

  package var channels: ChannelSet { ways.reduce(into: []) { $0.formUnion($1.channels) } }
}

extension HistoryNotification {
  /// The notifications that can have delivery states: all except bundled ones.
  package var sent: [Int64] { ways.filter { $0.outcome != .bundled }.map(\.notification) }

  /// The state of its delivery on each channel, with the times and reasons of its channel group
  /// (rule D6).
  ///
  /// - Parameter states: the delivery states of the notifications in `sent`.
  package func deliveries(_ states: [Int64: [DeliveryState]]) -> [DeliveryHistory] {
    ways.flatMap { $0.deliveries(states[$0.notification] ?? []) }
  }
}

extension HistoryNotification.Way {
  /// The state of the delivery on each channel.
  package func deliveries(_ states: [DeliveryState]) -> [DeliveryHistory] {
    channels.channels.map { channel in
      delivery(on: channel, outcome == .bundled ? nil : states.first { $0.channel == channel })
    }
  }

  fileprivate func delivery(on channel: Channel, _ state: DeliveryState?) -> DeliveryHistory {
    let notificationState: NotificationState =
      switch outcome {
      case .bundled: .bundled
      case .dropped: .dropped
      case .delivered: channel == .inapp ? .delivered : state?.told ?? .sending
      }
    let acceptedAt =
      notificationState == .delivered
      ? state?.attempts.last { $0.verdict == .delivered }?.at : nil
    return DeliveryHistory(
      channel: channel, state: notificationState, planned: planned, at: acceptedAt ?? at,
      reasons: reasons,
      obstacle: notificationState == .bundled ? nil : state?.obstacle)
  }
}

/// A notification of any recipient in the service-wide feed, without its texts.
package struct FeedNotification: Sendable {
  package var recipient: String
  package var reminder: String
  package var category: String
  package var way: HistoryNotification.Way
  /// The number of consecutive missed occurrences that this notification records; 1 for a single
  /// one.
  package var runLength: Int

  package init(
    recipient: String, reminder: String, category: String, way: HistoryNotification.Way,
    runLength: Int
  ) {
    self.recipient = recipient
    self.reminder = reminder
    self.category = category
    self.way = way
    self.runLength = runLength
  }
}
