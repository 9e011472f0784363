import CivilTime
import Reminders

/// A row of `schedule` but for the progress, which is what was written.
struct ScheduleRow {
  /// What a statement selects, in this order, of a schedule that it calls `s`.
  static let columns = """
    s.recipient, s.due, s.pending, s.head, s.recent, s.items, s.unread, s.cleared, s.checksum,
      s.progress
    """

  /// The place of the progress among the columns from one on.
  static func progressColumn(from first: Int32) -> Int32 { first + 9 }

  let recipient: Int64
  var outlook: Outlook
  var ledger = Ledger()

  init(_ recipient: UInt32, _ outlook: Outlook, _ ledger: Ledger) {
    self.recipient = Int64(recipient)
    self.outlook = outlook
    self.ledger = ledger
  }

  /// Reads the row on which a statement stands.
  init(_ row: HotStatement, from first: Int32 = 0) throws {
    recipient = row.integer(first)
    outlook = Outlook(
      due: row.optionalInteger(first + 1).map { Instant(milliseconds: $0) },
      pending: Int(row.integer(first + 2)))
    ledger.head = row.integer(first + 3)
    ledger.recent = Int(row.integer(first + 4))
    ledger.items = Int(row.integer(first + 5))
    ledger.unread = Int(row.integer(first + 6))
    ledger.cleared = row.integer(first + 7)
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
    replace.bind(2, outlook.due?.milliseconds)
    replace.bind(3, Int64(outlook.pending))
    replace.bind(4, ledger.head)
    replace.bind(5, Int64(ledger.recent))
    replace.bind(6, Int64(ledger.items))
    replace.bind(7, Int64(ledger.unread))
    replace.bind(8, ledger.cleared)
    replace.bind(9, progress.withUnsafeBytes { checksum(with: $0) })
    replace.bind(10, progress)
  }

  private func checksum(with progress: UnsafeRawBufferPointer) -> Int64 {
    var sum = Checksum()
    sum.add(recipient)
    sum.add(outlook.due?.milliseconds)
    sum.add(Int64(outlook.pending))
    sum.add(ledger.head)
    sum.add(Int64(ledger.recent))
    sum.add(Int64(ledger.items))
    sum.add(Int64(ledger.unread))
    sum.add(ledger.cleared)
    sum.add(progress)
    return sum.value
  }
}
