import CivilTime
import Postgres
import Reminders
import Store

/// Reading and dismissing notifications.
extension PostgresWork {
  func markAsRead(
    _ notifications: [Int64], of stored: inout StoredRecipient, now: Instant
  ) throws -> Int {
    _ = try owned(stored.recipient.name)
    let leaders = try leaders(of: notifications, for: stored)
    let items = try items(
      Set(leaders.values.map { InboxItemKey(row: stored.row, item: $0.number) }))
    var (count, newlyRead): (Int, Set<Int64>) = (0, [])
    for number in notifications {
      guard let row = leaders[number],
        let isRead = items[InboxItemKey(row: stored.row, item: row.number)]
      else { continue }
      count += 1
      if !isRead, newlyRead.insert(row.number).inserted { stored.counts.readItem() }
      stored.recipient.closeBatch(of: row.reminder, opener: row.key)
    }
    if !newlyRead.isEmpty {
      try write(
        "UPDATE inbox SET read = $3 WHERE recipient = $1 AND item = ANY($2) AND read IS NULL",
        [.integer(stored.row), .integers(newlyRead), .integer(now.milliseconds)])
    }
    return count
  }

  func markAllAsRead(of stored: inout StoredRecipient, now: Instant) throws {
    _ = try owned(stored.recipient.name)
    try write(
      "UPDATE inbox SET read = $2 WHERE recipient = $1 AND read IS NULL",
      [.integer(stored.row), .integer(now.milliseconds)])
    stored.counts.unread = 0
    stored.recipient.closeBatches()
  }

  func dismiss(
    _ notification: Int64, of stored: inout StoredRecipient, now: Instant
  ) throws -> Bool {
    _ = try owned(stored.recipient.name)
    guard let row = try leaders(of: [notification], for: stored)[notification],
      row.outcome != .dropped, row.dismissed == nil, row.number > stored.counts.cleared
    else { return false }
    try write(
      "UPDATE notification SET dismissed = $2 WHERE id = $1",
      [.integer(row.number), .integer(now.milliseconds)])
    // A notification in a digest is neither recent nor in the inbox; the digest stays.
    guard row.isDelivered else { return true }
    stored.counts.removeRecent()
    stored.recipient.closeBatch(of: row.reminder, opener: row.key)
    let key = InboxItemKey(row: stored.row, item: row.number)
    if let isRead = try items([key])[key] {
      try deleteItems([key])
      stored.counts.removeItem(isRead: isRead)
    }
    return true
  }

  func deleteItems(_ keys: some Collection<InboxItemKey>) throws {
    var rows = PostgresRows(.int8, .int8)
    for key in keys {
      rows.add(key.row)
      rows.add(key.item)
    }
    try write(
      rows, "recipient, item", "DELETE FROM inbox i USING",
      "WHERE i.recipient = u.recipient AND i.item = u.item")
  }

  func clear(_ stored: inout StoredRecipient) throws -> Int {
    _ = try owned(stored.recipient.name)
    try write("DELETE FROM inbox WHERE recipient = $1", [.integer(stored.row)])
    stored.recipient.closeBatches()
    return stored.counts.clear()
  }

  func recent(
    of stored: StoredRecipient, limit: Int
  ) throws -> [(category: String, channels: ChannelSet)] {
    let chain = try links(
      of: stored.row, from: stored.counts.head, downTo: stored.counts.cleared, limit: limit)
    let found = try notificationsWithMessages(chain.map(\.number))
    return chain.compactMap { found[$0.number] }.filter(\.row.isRecent).map {
      ($0.message.category, $0.row.channels)
    }
  }

  /// Returns the leader of each notification: the first notification of its occurrence or batch,
  /// which may be the notification itself. Notifications of other recipients are omitted.
  private func leaders(
    of numbers: [Int64], for stored: StoredRecipient
  ) throws -> [Int64: NotificationRow] {
    func rowsOfRecipient(_ numbers: some Sequence<Int64>) throws -> [Int64: NotificationRow] {
      try self.rows(of: Set(numbers)).filter { $0.value.recipient == stored.row }
    }
    let rows = try rowsOfRecipient(numbers)
    let leaders = try rowsOfRecipient(rows.values.map(\.link.leader).filter { $0 != 0 })
    return rows.compactMapValues { $0.link.leader == 0 ? $0 : leaders[$0.link.leader] }
  }

  /// Returns notifications by number. Missing notifications are omitted.
  func rows(of numbers: Set<Int64>) throws -> [Int64: NotificationRow] {
    guard !numbers.isEmpty else { return [:] }
    let found = try rows(
      "SELECT \(NotificationRow.columns) FROM notification n WHERE n.id = ANY($1)",
      [.integers(numbers)], NotificationRow.init)
    return Dictionary(found.map { ($0.number, $0) }) { first, _ in first }
  }
}
