import CivilTime
import Postgres
import Reminders
import Store

enum AttemptRow {
  /// The columns that a statement must select in this order, of an attempt `a`.
  static let columns = """
    a.notification, a.channel, a.sink, a.at, a.verdict, a.status, a.excerpt, a.duration, a.reason
    """

  static func attempt(_ row: PostgresRow) throws -> Attempt {
    guard let channel = Channel(rawValue: UInt8(truncatingIfNeeded: row.integer(1))),
      let verdict = Attempt.Verdict(rawValue: UInt8(truncatingIfNeeded: row.integer(4)))
    else { throw UnreadableRow("attempt", row.integer(0)) }
    return Attempt(
      notification: row.integer(0), channel: channel, sink: row.text(2),
      at: Instant(milliseconds: row.integer(3)), verdict: verdict, status: row.optionalText(5),
      excerpt: row.text(6), duration: row.optionalInteger(7).map { TimeSpan(milliseconds: $0) },
      reason: row.text(8))
  }

  // MARK: - Writing

  /// The columns of a new row without the shard. `place` is the position among the attempts of the
  /// delivery that are written together.
  static let insertedColumns =
    "notification, channel, place, sink, at, verdict, status, excerpt, duration, reason"

  static var inserted: PostgresRows {
    PostgresRows(
      .int8, .int2, .int8, .text, .int8, .int2, .text, .text, .int8, .text)
  }

  /// - Parameter place: the position, from 1.
  static func add(_ attempt: Attempt, place: Int, to rows: inout PostgresRows) {
    rows.add(attempt.notification)
    rows.add(attempt.channel.rawValue)
    rows.add(place)
    rows.add(attempt.sink)
    rows.add(attempt.at)
    rows.add(attempt.verdict.rawValue)
    rows.add(attempt.status)
    rows.add(attempt.excerpt)
    rows.add(attempt.duration?.milliseconds)
    rows.add(String(attempt.reason.prefix(DeliveryChanges.reasonMax)))
  }
}
