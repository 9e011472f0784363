package import CivilTime
package import Reminders

/// Identifies one occurrence of a recipient in one channel group.
package struct OccurrenceKey: Hashable, Sendable {
  package var reminder: Symbol
  /// The key that identifies the occurrence among those of its reminder.
  package var key: Int64
  /// The row of the recipient.
  package var row: UInt32
  package var channelGroup: ChannelGroup
  /// The round of the occurrence: 0 for the first one. Otherwise the arrival number of the event
  /// after which the occurrence is sent again, such as a snooze.
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
  /// The row of the recipient.
  package var row: UInt32

  package init(_ past: PastNotification, row: UInt32) {
    self.past = past
    self.row = row
  }
}

/// A part of a recipient's chain of notifications, from the latest backwards.
package struct NotificationChain: Hashable, Sendable {
  /// The continuation of the chain after the last of `numbers`.
  package enum End: Hashable, Sendable {
    /// The chain continues with this notification; 0 if it ends.
    case next(Int64)
    /// The last of `numbers` is missing, or belongs to another recipient.
    case broken
  }

  /// The numbers of the notifications, the latest first.
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
  /// The instant at which the notification was decided.
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

/// A notification of any recipient in the service-wide feed, without its texts.
package struct FeedNotification: Sendable {
  /// The recipient's name, by which apps identify the recipient.
  package var recipient: String
  package var reminder: String
  package var category: String
  package var groupRecord: HistoryNotification.GroupRecord
  /// The number of consecutive missed occurrences that this notification records; 1 for a single
  /// occurrence.
  package var runLength: Int

  package init(
    recipient: String, reminder: String, category: String,
    groupRecord: HistoryNotification.GroupRecord,
    runLength: Int
  ) {
    self.recipient = recipient
    self.reminder = reminder
    self.category = category
    self.groupRecord = groupRecord
    self.runLength = runLength
  }
}
