import Reminders

/// A row of `message`, verified by its checksum.
enum MessageRow {
  /// The columns that a statement must select in this order, of a message `m`.
  static let columns =
    "m.reminder, m.category, m.title, m.body, m.details, m.members, m.trace, m.checksum"
  static let columnCount: Int32 = 8

  /// Reads the current row of a statement.
  ///
  /// - Parameter number: the message's number, from the row that refers to it.
  static func message(
    _ row: HotStatement, from first: Int32, number: Int64
  ) throws -> Message {
    var sum = Checksum()
    sum.add(number)
    for column in first..<first + 7 { sum.add(row.bytes(column)) }
    guard sum.value == row.integer(first + 7) else { throw DamagedRow("message", number) }
    return Message(
      reminder: row.text(first), category: row.text(first + 1), title: row.text(first + 2),
      body: row.text(first + 3), details: row.text(first + 4),
      members: row.text(first + 5).split(separator: ",").map(String.init),
      trace: TraceContext(text: row.text(first + 6)))
  }

  /// - Parameter hash: the hash by which other notifications find it; nil for a private message.
  static func bind(_ message: Message, number: Int64, hash: Int64?, to insert: HotStatement) {
    let members = message.members.joined(separator: ",")
    let trace = message.trace?.text ?? ""
    var sum = Checksum()
    sum.add(number)
    sum.add(message.reminder)
    sum.add(message.category)
    sum.add(message.title)
    sum.add(message.body)
    sum.add(message.details)
    sum.add(members)
    sum.add(trace)
    insert.bind(1, number)
    insert.bind(2, hash)
    insert.bind(3, message.reminder)
    insert.bind(4, message.category)
    insert.bind(5, message.title)
    insert.bind(6, message.body)
    insert.bind(7, message.details)
    insert.bind(8, members)
    insert.bind(9, trace)
    insert.bind(10, sum.value)
  }
}
