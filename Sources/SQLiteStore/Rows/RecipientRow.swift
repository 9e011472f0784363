import CivilTime
import Reminders
import Store

/// Rows of `recipient` and of `schedule`, verified by their checksums.
enum RecipientRow {
  /// The columns that a statement must select in this order, of a recipient `r` with a schedule
  /// `s`.
  static let columns = "\(SQLiteTable.recipient.list(of: "r")), \(ScheduleRow.columns)"

  /// The columns that a statement must select in this order for the name only.
  static let nameColumns =
    SQLiteTable.recipient.columns.prefix(Int(nameColumnCount)).list(of: "r")
  static let nameColumnCount: Int32 = 4

  /// Reads the current row of a statement.
  static func recipient(_ row: HotStatement) throws -> StoredRecipient {
    let number = row.integer(0)
    let name = try name(row)
    guard factsChecksum(number, row.bytes(5)) == row.integer(4) else {
      throw DamagedRow("recipient", number)
    }
    let schedule = try ScheduleRow(row, from: 6)
    guard schedule.recipient == number else { throw DamagedRow("schedule", number) }
    do {
      return StoredRecipient(
        row: UInt32(truncatingIfNeeded: number),
        recipient: Recipient(
          name: name, facts: try Facts(decoding: row.bytes(5)),
          progress: try Progress(decoding: row.bytes(ScheduleRow.progressColumn(from: 6)))),
        lastEvent: row.integer(2), pending: schedule.next.pending, due: schedule.next.due,
        counts: schedule.counts)
    } catch {
      throw DamagedRow("recipient", "\(number) (\(error))")
    }
  }

  /// Reads the name from `nameColumns`, which begin at column `first`.
  static func name(_ row: HotStatement, from first: Int32 = 0) throws -> String {
    let number = row.integer(first)
    let sum = checksum(number, row.bytes(first + 1), lastEvent: row.integer(first + 2))
    guard sum == row.integer(first + 3) else { throw DamagedRow("recipient", number) }
    return row.text(first + 1)
  }

  // MARK: - Writing

  static func bind(_ stored: StoredRecipient, to insert: HotStatement) {
    let number = Int64(stored.row)
    let facts = stored.recipient.facts.encoded
    var name = stored.recipient.name
    insert.bind(1, number)
    insert.bind(2, name)
    insert.bind(3, stored.lastEvent)
    insert.bind(
      4, name.withUTF8 { checksum(number, UnsafeRawBufferPointer($0), lastEvent: stored.lastEvent) }
    )
    insert.bind(5, facts.withUnsafeBytes { factsChecksum(number, $0) })
    insert.bind(6, facts)
  }

  private static func checksum(
    _ number: Int64, _ name: UnsafeRawBufferPointer, lastEvent: Int64
  ) -> Int64 {
    var sum = Checksum()
    sum.add(number)
    sum.add(name)
    sum.add(lastEvent)
    return sum.value
  }

  /// Returns the checksum of the facts. It is separate, so that reading a name needs no facts.
  private static func factsChecksum(_ number: Int64, _ facts: UnsafeRawBufferPointer) -> Int64 {
    var sum = Checksum()
    sum.add(number)
    sum.add(facts)
    return sum.value
  }
}
