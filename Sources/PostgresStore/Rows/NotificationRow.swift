import CivilTime
import Postgres
import Reminders
import Store

struct NotificationRow {
  /// The columns that a statement must select in this order, of a notification `n`.
  static let columns = """
    n.shard, n.id, n.recipient, n.reminder, n.occurrence, n.channel_group, n.planned, n.at,
      n.expiry, n.outcome, n.channels, n.manner, n.trace, n.message, n.previous, n.leader,
      n.dismissed, n.fallback, n.round
    """
  static let columnCount: Int32 = 19

  let shard: Int64
  let number: Int64
  let recipient: UInt32
  let reminder: Symbol
  let key: Int64
  let channelGroup: Int64
  /// The round of the occurrence.
  let round: Int64
  let planned: Instant
  let at: Instant
  let expiry: Instant
  var outcome: Outcome
  let channels: ChannelSet
  let isSilent: Bool
  let hints: Hints
  /// Nil if the notification is not counted.
  let offset: ClockOffset?
  var trace: GateTrace
  /// The number of its message.
  let message: Int64
  var link: NotificationLink
  let dismissed: Instant?
  let fallback: ChannelSet

  init(_ row: PostgresRow) throws {
    shard = row.integer(0)
    number = row.integer(1)
    recipient = UInt32(truncatingIfNeeded: row.integer(2))
    reminder = Symbol(code: UInt32(truncatingIfNeeded: row.integer(3)))
    key = row.integer(4)
    channelGroup = row.integer(5)
    planned = Instant(milliseconds: row.integer(6))
    at = Instant(milliseconds: row.integer(7))
    expiry = Instant(milliseconds: row.integer(8))
    guard let outcome = Outcome(rawValue: UInt8(truncatingIfNeeded: row.integer(9))) else {
      throw UnreadableRow("notification", number)
    }
    self.outcome = outcome
    channels = ChannelSet(rawValue: UInt8(truncatingIfNeeded: row.integer(10)))
    let manner = row.integer(11)
    isSilent = manner & 1 != 0
    hints = Hints(rawValue: UInt8(truncatingIfNeeded: manner >> 1))
    offset = ClockOffset(code: manner >> 9)
    trace = GateTrace(rawValue: UInt64(bitPattern: row.integer(12)))
    message = row.integer(13)
    link = NotificationLink(previous: row.integer(14), leader: row.integer(15))
    dismissed = row.instant(16)
    fallback = ChannelSet(rawValue: UInt8(truncatingIfNeeded: row.integer(17)))
    round = row.integer(18)
  }

  var isDelivered: Bool { outcome == .delivered }

  /// The channels that it was sent on or will be sent on, including fallbacks.
  var allChannels: ChannelSet { channels.union(fallback) }

  /// The recipient's occurrence, without the channel group.
  var occurrence: Occurrence {
    Occurrence(reminder: reminder, key: key, row: recipient, round: round)
  }

  /// Whether it counts as recent, unless it was cleared.
  var isRecent: Bool { isDelivered && link.leader == 0 && dismissed == nil }

  // MARK: - Writing

  static let insertedColumns = """
    shard, id, recipient, reminder, occurrence, channel_group, planned, at, expiry, outcome,
      channels, manner, trace, message, previous, leader, round
    """

  static var inserted: PostgresRows {
    PostgresRows(
      .int2, .int8, .int8, .int8, .int8, .int2, .int8, .int8, .int8, .int2, .int2, .int4, .int8,
      .int8, .int8, .int8, .int8)
  }

  static func add(
    _ record: NotificationRecord, number: Int64, shard: Int64, message: Int64,
    _ link: NotificationLink, to rows: inout PostgresRows
  ) {
    rows.add(shard)
    rows.add(number)
    rows.add(record.row)
    rows.add(record.reminder.code)
    rows.add(record.key)
    rows.add(record.channelGroup.place)
    rows.add(record.planned)
    rows.add(record.at)
    rows.add(record.expiry)
    rows.add(record.outcome.rawValue)
    rows.add(record.channels.rawValue)
    rows.add(
      (record.isSilent ? 1 : 0) | Int64(record.hints.rawValue) << 1
        | (record.offset?.code ?? 0) << 9)
    rows.add(Int64(bitPattern: record.trace.rawValue))
    rows.add(message)
    rows.add(link.previous)
    rows.add(link.leader)
    rows.add(record.round)
  }
}

/// An occurrence of a recipient, in any channel group.
struct Occurrence: Hashable {
  var reminder: Symbol
  var key: Int64
  var row: UInt32
  /// The round; see `Progress.UnderWay`.
  var round: Int64 = 0
}

extension NotificationRecord {
  var occurrence: Occurrence {
    Occurrence(reminder: reminder, key: key, row: row, round: round)
  }
}
