import CivilTime
import Postgres
import Reminders
import Store

enum RecipientRow {
  /// The columns that a statement must select in this order, of a recipient `r` with a schedule
  /// `s`.
  static let columns = """
    r.id, r.name, r.last_event, r.facts, s.due, s.pending, s.head, s.recent, s.items, s.unread,
      s.cleared, s.progress
    """

  static let join = "JOIN schedule s ON s.recipient = r.id AND s.shard = r.shard"

  static func recipient(_ row: PostgresRow) throws -> StoredRecipient {
    var counts = NotificationCounts()
    counts.head = row.integer(6)
    counts.recent = Int(row.integer(7))
    counts.items = Int(row.integer(8))
    counts.unread = Int(row.integer(9))
    counts.cleared = row.integer(10)
    return StoredRecipient(
      row: UInt32(truncatingIfNeeded: row.integer(0)),
      recipient: Recipient(
        name: row.text(1), facts: try Facts(decoding: row.bytes(3)),
        progress: try Progress(decoding: row.bytes(11))),
      lastEvent: row.integer(2), pending: Int(row.integer(5)), due: row.instant(4),
      counts: counts)
  }

  // MARK: - Writing

  static let recipientColumns = "shard, id, name, last_event, facts"

  static var recipients: PostgresRows { PostgresRows(.int2, .int8, .text, .int8, .bytea) }

  static func add(_ stored: StoredRecipient, shard: Int64, to rows: inout PostgresRows) {
    rows.add(shard)
    rows.add(stored.row)
    rows.add(stored.recipient.name)
    rows.add(stored.lastEvent)
    rows.add(stored.recipient.facts.encoded)
  }

  static let scheduleColumns =
    "shard, recipient, due, pending, head, recent, items, unread, cleared, progress"

  static var schedules: PostgresRows {
    PostgresRows(.int2, .int8, .int8, .int8, .int8, .int8, .int8, .int8, .int8, .bytea)
  }

  static func add(
    _ schedule: Schedule, of stored: StoredRecipient, shard: Int64, to rows: inout PostgresRows
  ) {
    rows.add(shard)
    rows.add(stored.row)
    rows.add(schedule.due)
    rows.add(schedule.pending)
    rows.add(stored.counts.head)
    rows.add(stored.counts.recent)
    rows.add(stored.counts.items)
    rows.add(stored.counts.unread)
    rows.add(stored.counts.cleared)
    rows.add(stored.recipient.progress.encoded)
  }
}
