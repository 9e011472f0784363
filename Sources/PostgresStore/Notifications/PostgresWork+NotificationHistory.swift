import CivilTime
import Postgres
import Reminders
import Store

/// A recipient's history of notifications, sent or not.
extension PostgresWork {
  func notificationHistory(
    of stored: StoredRecipient, after start: Int64?, limit: Int
  ) throws -> [HistoryNotification] {
    let first = try start.map { try notification($0, of: stored)?.link.previous ?? 0 }
    let chain = try links(
      of: stored.row, from: first ?? stored.counts.head, downTo: 0, limit: limit)
    let current = try currentNotifications(chain.map(\.number))
    let groupRecords = try otherGroupRecords(of: current.values.map(\.row))
    return chain.compactMap { link in
      current[link.number].map { current in
        let row = current.row
        return HistoryNotification(
          groupRecords: ([row] + (groupRecords[row.number] ?? [])).map(\.groupRecord),
          isSilent: row.isSilent,
          isDismissed: row.dismissed != nil || row.number <= stored.counts.cleared,
          isRead: current.isRead, message: current.message, previous: row.link.previous,
          isLeader: row.link.leader == 0)
      }
    }
  }

  private func notification(
    _ number: Int64, of stored: StoredRecipient
  ) throws -> NotificationRow? {
    try rows(of: [number])[number].flatMap { $0.recipient == stored.row ? $0 : nil }
  }

  /// A notification with the current state of its inbox item.
  private struct CurrentNotification {
    let row: NotificationRow
    /// Whether the inbox item is read; nil if the notification has none.
    let isRead: Bool?
    /// The current message of the inbox item; without an item, the notification's own.
    let message: Message
  }

  private func currentNotifications(_ numbers: [Int64]) throws -> [Int64: CurrentNotification] {
    guard !numbers.isEmpty else { return [:] }
    var notifications: [Int64: CurrentNotification] = [:]
    try query(
      """
      SELECT \(NotificationRow.columns), i.item, i.read IS NOT NULL, \(MessageRow.columns)
      FROM notification n
      LEFT JOIN inbox i ON i.recipient = n.recipient AND i.item = n.id AND i.shard = n.shard
      JOIN message m ON m.id = coalesce(i.message, n.message) WHERE n.id = ANY($1)
      """, [.integers(numbers)]
    ) { columns in
      let row = try NotificationRow(columns)
      let item = NotificationRow.columnCount
      notifications[row.number] = CurrentNotification(
        row: row, isRead: columns.isNull(item) ? nil : columns.integer(item + 1) != 0,
        message: MessageRow.message(columns, from: item + 2))
    }
    return notifications
  }

  /// Returns the notifications of other channel groups for the same occurrences, by the number of
  /// the occurrence's first notification.
  private func otherGroupRecords(of rows: [NotificationRow]) throws -> [Int64: [NotificationRow]] {
    let leaders = Dictionary(rows.map { ($0.number, $0.occurrence) }) { first, _ in first }
    let otherGroups = try self.rows(of: Set(leaders.values)).filter { row in
      leaders[row.link.leader] == row.occurrence
    }
    return Dictionary(grouping: otherGroups.sorted { $0.number < $1.number }, by: \.link.leader)
  }
}

/// The notifications of all recipients.
extension PostgresWork {
  func feed(before number: Int64?, limit: Int) throws -> [FeedNotification] {
    try rows(
      """
      SELECT \(DeliveryRow.columns) FROM notification n \(DeliveryRow.joins)
      WHERE n.id < $1 ORDER BY n.id DESC LIMIT $2
      """, [.integer(number ?? .max), .integer(limit)]
    ) { columns in
      let row = try DeliveryRow(columns)
      return FeedNotification(
        recipient: row.recipient, reminder: row.message.reminder, category: row.message.category,
        groupRecord: row.notification.groupRecord, runLength: row.notification.trace.runLength)
    }
  }
}
