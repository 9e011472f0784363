package import CivilTime
package import Reminders

/// A row of `notification`.
package struct NotificationRow: Sendable {
  package let number: Int64
  /// The row of the recipient.
  package let recipient: UInt32
  package let reminder: Symbol
  /// The key that identifies the occurrence among those of its reminder.
  package private(set) var key: Int64
  /// The stored number of the channel group.
  package let channelGroup: Int64
  /// The instant for which the occurrence was planned.
  package let planned: Instant
  /// The instant at which the outcome was decided.
  package let at: Instant
  /// The last instant at which the notification may be delivered (rule T7).
  package let expiry: Instant
  package var outcome: Outcome
  /// The notification's original channels, without the fallback channels that follow later.
  package let channels: ChannelSet
  /// Whether the notification makes no sound.
  package let isSilent: Bool
  /// The recipient's settings for sound, vibration, badge and preview.
  package let hints: Hints
  /// The offset of the recipient's local time; nil if usage does not count the notification
  /// (rule M2).
  package let offset: ClockOffset?
  /// The findings of the gates for the occurrence.
  package var trace: GateTrace
  /// The number of the notification's message.
  package let message: Int64
  package var link: NotificationLink
  /// When the recipient dismissed the notification individually; nil if that has not happened.
  package var dismissed: Instant?
  /// The fallback channels that replaced failed ones.
  package var fallback = ChannelSet()
  /// 0 for the first sending of the occurrence. Otherwise the arrival number of the event after
  /// which the occurrence is sent again, such as a snooze.
  package let round: Int64

  /// Creates a new row, which is not dismissed and has no fallback channels.
  package init(
    _ record: NotificationRecord, number: Int64, message: Int64, _ link: NotificationLink
  ) {
    self.number = number
    recipient = record.row
    reminder = record.reminder
    key = record.key
    channelGroup = Int64(record.channelGroup.number)
    planned = record.planned
    at = record.at
    expiry = record.expiry
    outcome = record.outcome
    channels = record.channels
    isSilent = record.isSilent
    hints = record.hints
    offset = record.offset
    trace = record.trace
    self.message = message
    self.link = link
    round = record.round
  }

  /// Reads a row. The result is nil if this version of chimed does not define the row's outcome.
  @inlinable package init?(from reader: inout some RowReader) {
    number = reader.integer()
    recipient = UInt32(truncatingIfNeeded: reader.integer())
    reminder = Symbol(code: UInt32(truncatingIfNeeded: reader.integer()))
    key = reader.integer()
    channelGroup = reader.integer()
    planned = reader.instant()
    at = reader.instant()
    expiry = reader.instant()
    guard let outcome = Outcome(rawValue: reader.byte()) else { return nil }
    self.outcome = outcome
    channels = ChannelSet(rawValue: reader.byte())
    let flags = reader.integer()
    isSilent = flags & 1 != 0
    hints = Hints(rawValue: UInt8(truncatingIfNeeded: flags >> 1))
    offset = ClockOffset(code: flags >> 9)
    trace = GateTrace(rawValue: UInt64(bitPattern: reader.integer()))
    message = reader.integer()
    link = NotificationLink(previous: reader.integer(), leader: reader.integer())
    dismissed = reader.optionalInstant()
    fallback = ChannelSet(rawValue: reader.byte())
    round = reader.integer()
  }

  @inlinable package func put(to writer: inout some RowWriter) {
    writer.put(integer: number)
    writer.put(integer: Int64(recipient))
    writer.put(integer: Int64(reminder.code))
    writer.put(integer: key)
    writer.put(integer: channelGroup)
    writer.put(instant: planned)
    writer.put(instant: at)
    writer.put(instant: expiry)
    writer.put(integer: Int64(outcome.rawValue))
    writer.put(integer: Int64(channels.rawValue))
    writer.put(
      integer: (isSilent ? 1 : 0) | Int64(hints.rawValue) << 1 | (offset?.code ?? 0) << 9)
    writer.put(integer: Int64(bitPattern: trace.rawValue))
    writer.put(integer: message)
    writer.put(integer: link.previous)
    writer.put(integer: link.leader)
    writer.put(optionalInstant: dismissed)
    writer.put(integer: Int64(fallback.rawValue))
    writer.put(integer: round)
  }

  /// Returns the row with another key.
  package func withKey(_ key: Int64) -> NotificationRow {
    var row = self
    row.key = key
    return row
  }
}

extension NotificationRow {
  /// Whether the notification has deliveries to sinks or an inbox item.
  package var isDelivered: Bool { outcome == .delivered && !channels.isEmpty }

  /// Whether the notification counts as recent, unless the recipient has cleared all notifications
  /// since. Rows do not record a clearing, so the caller checks that. Of several notifications that
  /// share an inbox item (a batch) or an occurrence, only the first one counts.
  package var isRecent: Bool { isDelivered && link.leader == 0 && dismissed == nil }

  /// The channels on which the notification was or will be sent, including fallbacks.
  package var allChannels: ChannelSet { channels.union(fallback) }

  package var groupRecord: HistoryNotification.GroupRecord {
    HistoryNotification.GroupRecord(
      notification: number, planned: planned, at: at, outcome: outcome, channels: allChannels,
      reasons: trace.reasons)
  }
}
