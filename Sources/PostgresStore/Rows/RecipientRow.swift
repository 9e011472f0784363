import CivilTime
import Postgres
import Reminders
import Store

/// Rows of `recipient` and of `schedule`.
enum RecipientRow {
  /// The columns of a recipient `r` and a schedule `s` that a statement must select, in this order.
  static let columns = [
    PostgresTable.recipient.list(of: "r", from: "id"),
    PostgresTable.schedule.list(of: "s", from: "recipient"),
  ].joined(separator: ", ")

  /// Joins the schedule of a recipient.
  static let join = "JOIN schedule s ON s.recipient = r.id AND s.shard = r.shard"

  /// Converts a result's row with `columns`. The requests in rows of `request` are still missing.
  static func recipient(_ row: PostgresRow) throws -> StoredRecipient {
    var reader = ColumnReader(row)
    let (number, name, lastEvent) = (reader.integer(), reader.text(), reader.integer())
    let facts = try Facts(decoding: reader.nextBytes())
    let schedule = ScheduleRow(from: &reader)
    return StoredRecipient(
      row: UInt32(truncatingIfNeeded: number),
      recipient: Recipient(
        name: name, facts: facts, progress: try Progress(decoding: reader.nextBytes())),
      lastEvent: lastEvent, pending: schedule.next.pending, due: schedule.next.due,
      counts: schedule.counts)
  }

  // MARK: - Writing

  /// Adds a row of `recipient` to the rows to write.
  static func add(_ stored: StoredRecipient, shard: Int64, to rows: inout PostgresRows) {
    rows.add(shard)
    rows.add(stored.row)
    rows.add(stored.recipient.name)
    rows.add(stored.lastEvent)
    rows.add(stored.recipient.facts.encoded)
  }

  /// Adds a row of `schedule` to the rows to write.
  static func add(
    _ schedule: Schedule, of stored: StoredRecipient, shard: Int64, to rows: inout PostgresRows
  ) {
    rows.add(shard)
    ScheduleRow(stored.row, schedule, stored.counts).put(to: &rows)
    rows.add(stored.recipient.progress.encoded)
  }
}
