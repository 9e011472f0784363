import CivilTime
import Reminders
import Store

/// A row of `schedule` without the progress, verified by its checksum.
struct ScheduleRow {
  /// The columns that a statement must select in this order, of a schedule `s`.
  static let columns = """
    s.recipient, s.due, s.pending, s.head, s.recent, s.items, s.unread, s.cleared, s.checksum,
      s.progress
    """

  /// The column of the progress if the columns begin at `first`.
  static func progressColumn(from first: Int32) -> Int32 { first + 9 }

  let recipient: Int64
  var next: Schedule
  var counts = NotificationCounts()

  init(_ recipient: UInt32, _ next: Schedule, _ counts: NotificationCounts) {
    self.recipient = Int64(recipient)
    self.next = next
    self.counts = counts
  }

  /// Reads the current row of a statement.
  init(_ row: HotStatement, from first: Int32 = 0) throws {
    recipient = row.integer(first)
    next = Schedule(
      due: row.optionalInteger(first + 1).map { Instant(milliseconds: $0) },
      pending: Int(row.integer(first + 2)))
    counts.head = row.integer(first + 3)
    counts.recent = Int(row.integer(first + 4))
    counts.items = Int(row.integer(first + 5))
    counts.unread = Int(row.integer(first + 6))
    counts.cleared = row.integer(first + 7)
    let progress = row.bytes(Self.progressColumn(from: first))
    guard checksum(with: progress) == row.integer(first + 8) else {
      throw DamagedRow("schedule", recipient)
    }
  }

  // MARK: - Writing

  static let insertedColumns =
    "(recipient, due, pending, head, recent, items, unread, cleared, checksum, progress)"
  static let insertedCount = 10

  func bind(with progress: [UInt8], to replace: HotStatement) {
    replace.bind(1, recipient)
    replace.bind(2, next.due?.milliseconds)
    replace.bind(3, Int64(next.pending))
    replace.bind(4, counts.head)
    replace.bind(5, Int64(counts.recent))
    replace.bind(6, Int64(counts.items))
    replace.bind(7, Int64(counts.unread))
    replace.bind(8, counts.cleared)
    replace.bind(9, progress.withUnsafeBytes { checksum(with: $0) })
    replace.bind(10, progress)
  }

  private func checksum(with progress: UnsafeRawBufferPointer) -> Int64 {
    var sum = Checksum()
    sum.add(recipient)
    sum.add(next.due?.milliseconds)
    sum.add(Int64(next.pending))
    sum.add(counts.head)
    sum.add(Int64(counts.recent))
    sum.add(Int64(counts.items))
    sum.add(Int64(counts.unread))
    sum.add(counts.cleared)
    sum.add(progress)
    return sum.value
  }
}
