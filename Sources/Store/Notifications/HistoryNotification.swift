package import CivilTime
package import Reminders

/// A notification in a recipient's history, sent or not, with the reasons (rule N6).
package struct HistoryNotification: Sendable {
  /// The notification in one channel group.
  package struct GroupRecord: Sendable {
    /// The number of the notification in this channel group.
    package var notification: Int64
    /// The instant for which the occurrence was planned.
    package var planned: Instant
    /// The instant at which the outcome was decided.
    package var at: Instant
    package var outcome: Outcome
    /// The channels on which the notification was or will be sent, including fallbacks.
    package var channels: ChannelSet
    /// The names of the gates that held or dropped the occurrence.
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

  /// The records of all channel groups, beginning with the record of this notification.
  package var groupRecords: [GroupRecord]
  /// Whether the notification makes no sound.
  package var isSilent: Bool
  /// Whether the recipient has dismissed the notification.
  package var isDismissed: Bool
  /// Whether the notification's inbox item is read; nil if it has none.
  package var isRead: Bool?
  package var message: Message
  /// The number of the recipient's previous notification; 0 if there is none.
  package var previous: Int64
  /// Whether no earlier notification was about the same occurrence, or in the same batch (with the
  /// same inbox item).
  package var isLeader: Bool

  package init(
    groupRecords: [GroupRecord], isSilent: Bool, isDismissed: Bool, isRead: Bool?, message: Message,
    previous: Int64, isLeader: Bool
  ) {
    self.groupRecords = groupRecords
    self.isSilent = isSilent
    self.isDismissed = isDismissed
    self.isRead = isRead
    self.message = message
    self.previous = previous
    self.isLeader = isLeader
  }

  /// The record of this notification itself.
  package var own: GroupRecord { groupRecords[0] }

  /// The channels of all channel groups together.
  package var channels: ChannelSet { groupRecords.reduce(into: []) { $0.formUnion($1.channels) } }
}

extension HistoryNotification {
  /// The numbers of the notifications that can have delivery states: all except bundled ones.
  package var sent: [Int64] { groupRecords.filter { $0.outcome != .bundled }.map(\.notification) }

  /// Returns the state of the notification's delivery on each channel, with the times and reasons
  /// of the channel group (rule D6).
  ///
  /// - Parameter states: the delivery states of the notifications in `sent`.
  package func deliveries(_ states: [Int64: [DeliveryState]]) -> [DeliveryHistory] {
    groupRecords.flatMap { $0.deliveries(states[$0.notification] ?? []) }
  }
}

extension HistoryNotification.GroupRecord {
  /// Returns the state of the delivery on each channel of this group.
  ///
  /// - Parameter states: the stored delivery states of this group's notification.
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
      case .delivered: channel == .inapp ? .accepted : state?.publicState ?? .sending
      }
    let acceptedAt =
      notificationState == .accepted
      ? state?.attempts.last { $0.verdict == .delivered }?.at : state?.report?.at
    return DeliveryHistory(
      channel: channel, state: notificationState, planned: planned, at: acceptedAt ?? at,
      reasons: reasons,
      obstacle: notificationState == .bundled ? nil : state?.obstacle)
  }
}
