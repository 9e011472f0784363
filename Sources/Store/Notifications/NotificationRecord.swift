package import CivilTime
package import Reminders

/// The outcome of an occurrence, as recorded before any sink gets it (rule D1).
package struct NotificationRecord: Sendable {
  /// The row of the recipient.
  package var row: UInt32
  package var reminder: Symbol
  /// The key that identifies the occurrence among those of its reminder.
  package var key: Int64
  /// The round of the occurrence: 0 for the first one. Otherwise the arrival number of the event
  /// after which the occurrence is sent again, such as a snooze.
  package var round: Int64 = 0
  package var channelGroup: ChannelGroup
  /// The instant for which the occurrence was planned.
  package var planned: Instant
  /// The instant at which the outcome was decided.
  package var at: Instant
  package var outcome: Outcome
  /// The channels on which the notification is sent; fallbacks are recorded later.
  package var channels: ChannelSet
  /// Whether the notification makes no sound.
  package var isSilent: Bool
  /// The recipient's settings for sound, vibration, badge and preview.
  package var hints = Hints(rawValue: 0)
  /// The offset of the recipient's local time; nil if usage does not count the notification (rule
  /// M2).
  package var offset: ClockOffset?
  /// The findings of the gates for the occurrence.
  package var trace: GateTrace
  /// The last instant at which the notification may be delivered (rule T7).
  package var expiry: Instant
  package var message: Message
  /// Whether the occurrence may also have a notification in another channel group.
  package var hasOtherGroups = false
  /// The key of the occurrence that opened the batch that this occurrence continues; nil if there
  /// is none.
  package var opener: Int64?
  /// The reminders whose notifications about the same entity this one replaces.
  package var replaced: [Symbol] = []

  package init(
    row: UInt32, reminder: Symbol, key: Int64, channelGroup: ChannelGroup, planned: Instant,
    at: Instant,
    outcome: Outcome, channels: ChannelSet, isSilent: Bool, trace: GateTrace, expiry: Instant,
    message: Message
  ) {
    self.row = row
    self.reminder = reminder
    self.key = key
    self.channelGroup = channelGroup
    self.planned = planned
    self.at = at
    self.outcome = outcome
    self.channels = channels
    self.isSilent = isSilent
    self.trace = trace
    self.expiry = expiry
    self.message = message
  }

  /// Whether the notification has deliveries to sinks or an inbox item.
  package var isDelivered: Bool { outcome == .delivered && !channels.isEmpty }
}
