import Postgres
import Reminders
import Store

extension MessageRow {
  /// The columns of a message `m` that a statement must select, in this order.
  static let columns = PostgresTable.message.list(of: "m", from: "reminder")
  static let columnCount: Int32 = 9

  /// Reads a message from a result's row.
  ///
  /// - Parameter first: the index of the first of `columns`.
  static func message(_ row: PostgresRow, from first: Int32) -> Message {
    var reader = ColumnReader(row, from: first)
    return message(from: &reader)
  }

  /// Adds the row of a message to the rows to insert.
  ///
  /// - Parameter hash: the hash by which other notifications find the message; nil for a private
  ///   message.
  static func add(
    _ message: Message, number: Int64, hash: Int64?, to rows: inout PostgresRows
  ) {
    rows.add(number)
    rows.add(hash)
    put(message, to: &rows)
  }
}
