import Postgres
import Reminders
import Store

extension PostgresWork {
  /// Returns the number of each notification's message, and inserts missing messages. The number is
  /// 0 for a notification that is not recorded.
  ///
  /// - Parameter numbers: the numbers of the notifications; nil for one that is not recorded.
  func messages(of notifications: [NotificationRecord], _ numbers: [Int64?]) throws -> [Int64] {
    var rows = PostgresTable.message.rows
    let recordedNotifications = zip(notifications, numbers).lazy.filter { $1 != nil }.map(\.0)
    try intern(recordedNotifications.lazy.map(\.message).filter(\.isCommon), &rows)
    var messageNumbers: [Int64] = []
    messageNumbers.reserveCapacity(notifications.count)
    for (index, notification) in notifications.enumerated() {
      if numbers[index] == nil {
        messageNumbers.append(0)
      } else if let common = common(notification.message) {
        messageNumbers.append(common)
      } else if index > 0, messageNumbers[index - 1] != 0,
        notification.hasMessage(ofTwin: notifications[index - 1])
      {
        messageNumbers.append(messageNumbers[index - 1])
      } else {
        messageNumbers.append(try next(\.message))
        MessageRow.add(notification.message, number: messageNumbers[index], hash: nil, to: &rows)
      }
    }
    try insert(rows, into: .message)
    return messageNumbers
  }

  /// Returns the number of a message that many recipients get; nil for a private message.
  private func common(_ message: Message) -> Int64? {
    message.isCommon ? messages.number(of: message) : nil
  }

  /// Finds or adds messages that many recipients get. Each message is stored once. If two nodes add
  /// it at the same time, it is stored twice, which is harmless.
  ///
  /// - Parameter rows: receives the new messages.
  private func intern(_ common: some Sequence<Message>, _ rows: inout PostgresRows) throws {
    var hashes: [Message: Int64] = [:]
    for message in common where hashes[message] == nil && messages.number(of: message) == nil {
      hashes[message] = node.hash.message(message)
    }
    guard !hashes.isEmpty else { return }
    try query(
      "SELECT m.id, \(MessageRow.columns) FROM message m WHERE m.hash = ANY($1)",
      [.integers(hashes.values)]
    ) { row in
      let message = MessageRow.message(row, from: 1)
      if hashes[message] != nil { messages.add(message, row.integer(0)) }
    }
    for (message, hash) in hashes where messages.number(of: message) == nil {
      let number = try next(\.message)
      MessageRow.add(message, number: number, hash: hash, to: &rows)
      messages.add(message, number)
    }
  }
}

extension NotificationRecord {
  /// Whether the other record is of the same occurrence in another channel group, with the same
  /// message.
  fileprivate func hasMessage(ofTwin other: NotificationRecord) -> Bool {
    occurrence == other.occurrence && outcome == other.outcome && message == other.message
  }
}

/// The numbers of shared messages that are known to be stored.
struct MessageCache: Sendable {
  /// The maximum number of messages, which take a few megabytes.
  private static let countMax = 4_096

  /// The messages by object identity, which avoids comparing texts. The objects are retained, so
  /// that no other object gets the same address.
  private var objects: [ObjectIdentifier: (message: Message, number: Int64)] = [:]
  private var numbers: [Message: Int64] = [:]

  /// Returns the number of a message; nil if the message is not known to be stored.
  mutating func number(of message: Message) -> Int64? {
    if let entry = objects[ObjectIdentifier(message)] { return entry.number }
    guard let number = numbers[message] else { return nil }
    remember(message, number)
    return number
  }

  mutating func add(_ message: Message, _ number: Int64) {
    if numbers.count >= Self.countMax { numbers.removeAll() }
    numbers[message] = number
    remember(message, number)
  }

  private mutating func remember(_ message: Message, _ number: Int64) {
    if objects.count >= Self.countMax { objects.removeAll() }
    objects[ObjectIdentifier(message)] = (message, number)
  }
}
