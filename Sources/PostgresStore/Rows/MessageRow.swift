import Postgres
import Reminders

enum MessageRow {
  /// The columns that a statement must select in this order, of a message `m`.
  static let columns = "m.reminder, m.category, m.title, m.body, m.details, m.members, m.trace"
  static let columnCount: Int32 = 7

  /// - Parameter first: the index of the first column.
  static func message(_ row: PostgresRow, from first: Int32) -> Message {
    Message(
      reminder: row.text(first), category: row.text(first + 1), title: row.text(first + 2),
      body: row.text(first + 3), details: row.text(first + 4),
      members: row.text(first + 5).split(separator: ",").map(String.init),
      trace: TraceContext(text: row.text(first + 6)))
  }

  // MARK: - Writing

  static let insertedColumns =
    "id, hash, reminder, category, title, body, details, members, trace"

  static var inserted: PostgresRows {
    PostgresRows(.int8, .int8, .text, .text, .text, .text, .text, .text, .text)
  }

  /// - Parameter hash: the hash by which other notifications find it; nil for a private message.
  static func add(
    _ message: Message, number: Int64, hash: Int64?, to rows: inout PostgresRows
  ) {
    rows.add(number)
    rows.add(hash)
    rows.add(message.reminder)
    rows.add(message.category)
    rows.add(message.title)
    rows.add(message.body)
    rows.add(message.details)
    rows.add(message.members.joined(separator: ","))
    rows.add(message.trace?.text ?? "")
  }
}
