import CivilTime
import Reminders
import Store

/// A row of `notification`, verified by a checksum over all its columns.
struct NotificationRow {
  /// The columns that a statement must select in this order, of a notification `n`.
  static let columns = """
    n.id, n.recipient, n.reminder, n.occurrence, n.channel_group, n.planned, n.at, n.expiry,
      n.outcome, n.channels, n.silent, n.trace, n.message, n.previous, n.leader, n.dismissed,
      n.fallback, n.round, n.checksum
    """
  static let columnCount: Int32 = 19

  let number: Int64
  let recipient: UInt32
  let reminder: Symbol
  private(set) var key: Int64
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
  /// Nil if the notification is not counted, or was written by an earlier version.
  let offset: ClockOffset?
  var trace: GateTrace
  /// The row of its message.
  let message: Int64
  var link: Link
  var dismissed: Instant?
  var fallback = ChannelSet()

  init(_ record: NotificationRecord, number: Int64, message: Int64, _ link: Link) {
    self.number = number
    recipient = record.row
    reminder = record.reminder
    key = record.key
    channelGroup = Int64(record.channelGroup.place)
    round = record.round
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
  }

  /// Reads the current row of a statement.
  init(_ row: HotStatement, from first: Int32 = 0) throws {
    number = row.integer(first)
    recipient = UInt32(truncatingIfNeeded: row.integer(first + 1))
    reminder = Symbol(code: UInt32(truncatingIfNeeded: row.integer(first + 2)))
    key = row.integer(first + 3)
    channelGroup = row.integer(first + 4)
    planned = Instant(milliseconds: row.integer(first + 5))
    at = Instant(milliseconds: row.integer(first + 6))
    expiry = Instant(milliseconds: row.integer(first + 7))
    let outcome = Outcome(rawValue: UInt8(truncatingIfNeeded: row.integer(first + 8)))
    channels = ChannelSet(rawValue: UInt8(truncatingIfNeeded: row.integer(first + 9)))
    let manner = row.integer(first + 10)
    isSilent = manner & 1 != 0
    hints = Hints(rawValue: UInt8(truncatingIfNeeded: manner >> 1))
    offset = ClockOffset(code: manner >> 9)
    trace = GateTrace(rawValue: UInt64(bitPattern: row.integer(first + 11)))
    message = row.integer(first + 12)
    link = Link(previous: row.integer(first + 13), leader: row.integer(first + 14))
    dismissed = row.optionalInteger(first + 15).map { Instant(milliseconds: $0) }
    fallback = ChannelSet(rawValue: UInt8(truncatingIfNeeded: row.integer(first + 16)))
    round = row.integer(first + 17)
    self.outcome = outcome ?? .dropped
    guard outcome != nil, checksum == row.integer(first + 18) else {
      throw DamagedRow("notification", number)
    }
  }

  /// Returns the row with another key.
  func renamed(_ key: Int64) -> NotificationRow {
    var row = self
    row.key = key
    return row
  }

  var isDelivered: Bool { outcome == .delivered }

  /// The channels that it was sent on or will be sent on, including fallbacks.
  var allChannels: ChannelSet { channels.union(fallback) }

  var checksum: Int64 {
    var sum = Checksum()
    sum.add(number)
    sum.add(Int64(recipient))
    sum.add(Int64(reminder.code))
    sum.add(key)
    sum.add(channelGroup)
    sum.add(planned.milliseconds)
    sum.add(at.milliseconds)
    sum.add(expiry.milliseconds)
    sum.add(Int64(outcome.rawValue))
    sum.add(Int64(channels.rawValue))
    sum.add(manner)
    sum.add(Int64(bitPattern: trace.rawValue))
    sum.add(message)
    sum.add(link.previous)
    sum.add(link.leader)
    sum.add(dismissed?.milliseconds)
    sum.add(Int64(fallback.rawValue))
    sum.add(round)
    return sum.value
  }

  private var manner: Int64 {
    (isSilent ? 1 : 0) | Int64(hints.rawValue) << 1 | (offset?.code ?? 0) << 9
  }

  // MARK: - Writing

  /// Sets the key of a row, unless another row has it.
  static let rename = """
    UPDATE OR IGNORE notification SET occurrence = ?2, checksum = ?3 WHERE id = ?1
    """

  /// The columns of a new row, which is not dismissed and has no fallback channels.
  static let insertedColumns = """
    (id, recipient, reminder, occurrence, channel_group, planned, at, expiry, outcome, channels,
      silent, trace, message, previous, leader, round, checksum)
    """
  static let insertedCount = 17

  func bind(to insert: HotStatement) {
    insert.bind(1, number)
    insert.bind(2, Int64(recipient))
    insert.bind(3, Int64(reminder.code))
    insert.bind(4, key)
    insert.bind(5, channelGroup)
    insert.bind(6, planned.milliseconds)
    insert.bind(7, at.milliseconds)
    insert.bind(8, expiry.milliseconds)
    insert.bind(9, Int64(outcome.rawValue))
    insert.bind(10, Int64(channels.rawValue))
    insert.bind(11, manner)
    insert.bind(12, Int64(bitPattern: trace.rawValue))
    insert.bind(13, message)
    insert.bind(14, link.previous)
    insert.bind(15, link.leader)
    insert.bind(16, round)
    insert.bind(17, checksum)
  }

  /// Sets the mutable columns of a row.
  static let update = """
    UPDATE notification SET outcome = ?2, trace = ?3, previous = ?4, leader = ?5, dismissed = ?6,
      fallback = ?7, checksum = ?8 WHERE id = ?1
    """

  func bind(toUpdate update: HotStatement) {
    update.bind(1, number)
    update.bind(2, Int64(outcome.rawValue))
    update.bind(3, Int64(bitPattern: trace.rawValue))
    update.bind(4, link.previous)
    update.bind(5, link.leader)
    update.bind(6, dismissed?.milliseconds)
    update.bind(7, Int64(fallback.rawValue))
    update.bind(8, checksum)
  }
}
