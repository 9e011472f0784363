import CivilTime
import Reminders
import Store

/// A row of `attempt`, verified by its checksum.
struct AttemptRow {
  /// The columns that a statement must select in this order, and those of a new row.
  static let columns = """
    notification, channel, number, sink, at, verdict, status, excerpt, duration, reason, checksum
    """
  static let columnCount = 11

  private(set) var attempt: Attempt
  /// The number of the attempt within its delivery, from 1.
  let number: Int64

  init(_ attempt: Attempt, number: Int64) {
    (self.attempt, self.number) = (attempt, number)
    self.attempt.reason = String(attempt.reason.prefix(DeliveryChanges.reasonMax))
  }

  /// Reads the current row of a statement.
  init(_ row: HotStatement) throws {
    let notification = row.integer(0)
    guard let channel = Channel(rawValue: UInt8(truncatingIfNeeded: row.integer(1))),
      let verdict = Attempt.Verdict(rawValue: UInt8(truncatingIfNeeded: row.integer(5)))
    else { throw DamagedRow("attempt", notification) }
    number = row.integer(2)
    attempt = Attempt(
      notification: notification, channel: channel, sink: row.text(3),
      at: Instant(milliseconds: row.integer(4)), verdict: verdict, status: row.optionalText(6),
      excerpt: row.text(7), duration: row.optionalInteger(8).map { TimeSpan(milliseconds: $0) },
      reason: row.text(9))
    guard checksum == row.integer(10) else { throw DamagedRow("attempt", notification) }
  }

  func bind(to insert: HotStatement) {
    insert.bind(1, attempt.notification)
    insert.bind(2, Int64(attempt.channel.rawValue))
    insert.bind(3, number)
    insert.bind(4, attempt.sink)
    insert.bind(5, attempt.at.milliseconds)
    insert.bind(6, Int64(attempt.verdict.rawValue))
    if let status = attempt.status {
      insert.bind(7, status)
    } else {
      insert.bind(7, nil as Int64?)
    }
    insert.bind(8, attempt.excerpt)
    insert.bind(9, attempt.duration?.milliseconds)
    insert.bind(10, attempt.reason)
    insert.bind(11, checksum)
  }

  private var checksum: Int64 {
    var sum = Checksum()
    sum.add(attempt.notification)
    sum.add(Int64(attempt.channel.rawValue))
    sum.add(number)
    sum.add(attempt.sink)
    sum.add(attempt.at.milliseconds)
    sum.add(Int64(attempt.verdict.rawValue))
    sum.add(attempt.status == nil ? 0 : 1)
    sum.add(attempt.status ?? "")
    sum.add(attempt.excerpt)
    sum.add(attempt.duration?.milliseconds)
    sum.add(attempt.reason)
    return sum.value
  }
}
