import GRDB
import Reminders
import Store

extension StoreTransaction {
  /// Returns the row of each notification's message, and inserts missing messages.
  func messages(of notifications: [NotificationRecord]) throws -> [Int64] {
    var rows: [Int64] = []
    rows.reserveCapacity(notifications.count)
    // Unlike the elements of an array, those of a span are not copied.
    let notifications = notifications.span
    for index in notifications.indices {
      let message = notifications[index].message
      if message.isCommon {
        rows.append(try row(ofCommon: message))
      } else if index > 0, notifications[index].sharesMessage(with: notifications[index - 1]) {
        rows.append(rows[index - 1])
      } else {
        rows.append(try insert(message, hash: nil))
      }
    }
    return rows
  }

  /// Returns the row of a common message. Many recipients get its text, so it is stored once.
  private func row(ofCommon message: Message) throws -> Int64 {
    if let row = statements.messages.known.row(of: message) { return row }
    let hash = statements.hash.message(message)
    let row = try find(message, hash: hash) ?? insert(message, hash: hash)
    statements.messages.known.add(message, row: row)
    return row
  }

  /// Returns the row of a common message; nil if it is not stored.
  private func find(_ message: Message, hash: Int64) throws -> Int64? {
    let select = statements.messages.ofHash
    select.bind(1, hash)
    defer { select.reset() }
    while try select.step() {
      let row = select.integer(0)
      if try MessageRow.message(select, from: 1, number: row) == message { return row }
    }
    return nil
  }

  /// Inserts a message, and returns its row.
  ///
  /// - Parameter hash: the hash of a common message; nil for a private one.
  private func insert(_ message: Message, hash: Int64?) throws -> Int64 {
    let row = statements.nextMessage
    statements.nextMessage += 1
    MessageRow.bind(message, number: row, hash: hash, to: statements.messages.insert)
    try statements.messages.insert.run()
    return row
  }

  /// Removes a private message, unless another notification of the same occurrence uses it.
  func deletePrivateMessage(_ message: Int64, of notification: NotificationRecord) throws {
    let delete = statements.messages.deletePrivate
    delete.bind(1, message)
    delete.bind(2, Int64(notification.reminder.code))
    delete.bind(3, notification.key)
    delete.bind(4, Int64(notification.row))
    try delete.run()
  }
}

extension NotificationRecord {
  /// Returns whether another record, of another channel group, has the same occurrence, outcome and
  /// message.
  fileprivate func sharesMessage(with other: NotificationRecord) -> Bool {
    row == other.row && reminder == other.reminder && key == other.key
      && outcome == other.outcome && message == other.message
  }
}

/// The prepared statements for messages.
final class MessageStatements {
  let insert: HotStatement
  /// Selects the common messages with a hash.
  let ofHash: HotStatement
  /// Deletes a private message unless a notification of an occurrence uses it.
  let deletePrivate: HotStatement
  /// Common messages that are known to be stored.
  let known = KnownMessages()

  init(_ database: Database) throws {
    insert = try HotStatement(database, SQLiteTable.message.insertion("INSERT"))
    ofHash = try HotStatement(
      database, "SELECT m.id, \(MessageRow.columns) FROM message m WHERE m.hash = ?1")
    deletePrivate = try HotStatement(
      database,
      """
      DELETE FROM message WHERE id = ?1 AND hash IS NULL AND NOT EXISTS
        (SELECT 1 FROM notification
         WHERE reminder = ?2 AND occurrence = ?3 AND recipient = ?4 AND message = ?1)
      """)
  }
}

/// The rows of common messages that are known to be stored.
final class KnownMessages {
  /// The maximum number of known messages, which take a few megabytes.
  private static let countMax = 4_096
  /// The number of recent messages: enough for a burst, which uses the few messages of one
  /// reminder.
  private static let recentCount = 16

  private struct Entry {
    let message: Message
    let row: Int64
  }

  private var rows: [Message: Int64] = [:]
  /// The messages used last. The same object is recognized without comparing texts.
  private var recent: [Entry] = []
  /// The index in `recent` that is overwritten next.
  private var oldestIndex = 0

  /// Returns the row of a message; nil if the message is not known to be stored.
  func row(of message: Message) -> Int64? {
    for entry in recent where entry.message === message { return entry.row }
    for entry in recent where entry.message == message { return entry.row }
    guard let row = rows[message] else { return nil }
    remember(Entry(message: message, row: row))
    return row
  }

  func add(_ message: Message, row: Int64) {
    remember(Entry(message: message, row: row))
    if rows.count >= Self.countMax { rows.removeAll() }
    rows[message] = row
  }

  /// Forgets all messages, because a rollback or an erasure may have removed some of them.
  func forget() {
    rows.removeAll()
    recent.removeAll()
    oldestIndex = 0
  }

  /// Adds a message to the recent ones, in place of the oldest.
  private func remember(_ entry: Entry) {
    guard recent.count == Self.recentCount else { return recent.append(entry) }
    recent[oldestIndex] = entry
    oldestIndex = (oldestIndex + 1) % Self.recentCount
  }
}
