package import CivilTime
package import Reminders

/// Which of a recipient's occurrences one is, on one of its ways out.
package struct OccurrenceKey: Hashable, Sendable {
  package var reminder: Symbol
  package var key: Int64
  package var row: UInt32
  package var channelGroup: ChannelGroup
  /// Which sending of the occurrence it is; see `Progress.UnderWay`.
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

/// A notification, and the row of the recipient whose it is.
package struct StoredNotification: Sendable {
  package var past: PastNotification
  package var row: UInt32

  package init(_ past: PastNotification, row: UInt32) {
    self.past = past
    self.row = row
  }
}

/// A recipient's notifications, followed from the latest back.
package struct NotificationChain: Hashable, Sendable {
  /// Where the chain goes on behind the last of its numbers.
  package enum End: Hashable, Sendable {
    /// With this one; 0 if there is none.
    case next(Int64)
    /// The last of the numbers is not there, or is another's.
    case broken
  }

  /// The latest first.
  package var numbers: [Int64]
  package var end: End

  package init(numbers: [Int64] = [], end: End) {
    self.numbers = numbers
    self.end = end
  }
}

/// Something in a recipient's inbox (rule N1).
package struct InboxItem: Sendable {
  /// The notification that stands for it.
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

/// What a recipient was told, or was not, and why (rule N4).
package struct HistoryNotification: Sendable {
  /// One of its ways out.
  package struct Way: Sendable {
    package var notification: Int64
    package var planned: Instant
    package var at: Instant
    package var outcome: Outcome
    /// Those that it has gone out on, or is going to, in whichever way.
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

  /// Its own way out, and the others.
  package var ways: [Way]
  package var isSilent: Bool
  package var isDismissed: Bool
  /// Whether its item of the inbox is read; nil if it has none.
  package var isRead: Bool?
  package var message: Message
  /// The recipient's notification before it; 0 if there is none.
  package var previous: Int64
  /// Whether nothing had told of the same thing before.
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
  /// The ways out of whose deliveries there is something to ask.
  package var sent: [Int64] { ways.filter { $0.outcome != .bundled }.map(\.notification) }

  /// What has become of it on each of its channels, with the times and reasons of its own way out
  /// (rule D6).
  ///
  /// - Parameter states: of those that are `sent`.
  package func deliveries(_ states: [Int64: [DeliveryState]]) -> [DeliveryHistory] {
    ways.flatMap { $0.deliveries(states[$0.notification] ?? []) }
  }
}

extension HistoryNotification.Way {
  /// What has become of it on each of its channels.
  package func deliveries(_ states: [DeliveryState]) -> [DeliveryHistory] {
    channels.channels.map { channel in
      delivery(on: channel, outcome == .bundled ? nil : states.first { $0.channel == channel })
    }
  }

  fileprivate func delivery(on channel: Channel, _ state: DeliveryState?) -> DeliveryHistory {
    let told: NotificationState =
      switch outcome {
      case .bundled: .bundled
      case .dropped: .dropped
      case .delivered: channel == .inapp ? .delivered : state?.told ?? .sending
      }
    let taken = told == .delivered ? state?.attempts.last { $0.verdict == .delivered }?.at : nil
    return DeliveryHistory(
      channel: channel, state: told, planned: planned, at: taken ?? at, reasons: reasons,
      obstacle: told == .bundled ? nil : state?.obstacle)
  }
}

/// A notification of any recipient, without its words, as the feed of all shows it.
package struct FeedNotification: Sendable {
  package var recipient: String
  package var reminder: String
  package var category: String
  package var way: HistoryNotification.Way
  /// How many occurrences in a row were missed, of which it is the record; 1 for one.
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
