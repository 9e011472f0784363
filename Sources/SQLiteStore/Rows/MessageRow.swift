import Reminders
import Store

/// Rows of `message`, verified by their checksums.
extension MessageRow {
  /// The columns that a statement must select in this order, of a message `m`.
  static let columns = SQLiteTable.message.list(of: "m", from: "reminder")
  static let columnCount: Int32 = 10

  /// Reads the current row of a statement.
  ///
  /// - Parameter number: the message's number, from the row that refers to it.
  static func message(
    _ row: HotStatement, from first: Int32, number: Int64
  ) throws -> Message {
    var reader = ColumnReader(row, from: first)
    reader.cover(number)
    let message = message(from: &reader)
    guard reader.verifyChecksum() else { throw DamagedRow("message", number) }
    return message
  }

  /// - Parameter hash: the hash by which other notifications with this message find its row; nil
  ///   for a message of one recipient.
  static func bind(_ message: Message, number: Int64, hash: Int64?, to insert: HotStatement) {
    var binder = RowBinder(insert)
    binder.put(integer: number)
    binder.putWithoutChecksum(hash)
    put(message, to: &binder)
    binder.putChecksum()
  }
}
