import CivilTime
import Reminders
import Store

extension StoreTransaction {
  /// Adds recorded notifications to the counters and the inboxes.
  func enter(
    _ notifications: [NotificationRecord], _ rows: [Int64?], _ links: [Link], _ batchIndices: [Int],
    _ messages: [Int64], _ batch: inout [StoredRecipient]
  ) throws {
    var fresh: [(recipient: Int64, item: Int64, index: Int)] = []
    fresh.reserveCapacity(notifications.count)
    for index in notifications.indices {
      guard let row = rows[index] else { continue }
      let (notification, leader) = (notifications[index], links[index].leader)
      batch[batchIndices[index]].counts.record(
        row, isRecent: notification.isDelivered && leader == 0)
      guard notification.isDelivered else { continue }
      for reminder in notification.replaced {
        try retract(reminder, notification, from: &batch[batchIndices[index]])
      }
      guard notification.channelGroup == .inapp else { continue }
      let (recipient, item) = (Int64(notification.row), leader == 0 ? row : leader)
      if leader != 0,
        let known = fresh.firstIndex(where: { ($0.recipient, $0.item) == (recipient, item) })
      {
        fresh[known].index = index
      } else if try leader == 0 || !update(item, of: recipient, message: messages[index]) {
        fresh.append((recipient, item, index))
        batch[batchIndices[index]].counts.addItem()
      }
    }
    _ = try statements.inbox.insertItems.run(fresh.count) { insert, offset in
      let (recipient, item, index) = fresh[offset]
      InboxRow(
        recipient: recipient, item: item, message: messages[index], at: notifications[index].at
      ).bind(to: insert)
    }
  }

  /// - Returns: whether the item exists.
  private func update(_ item: Int64, of recipient: Int64, message: Int64) throws -> Bool {
    guard var row = try inboxRow(item, of: recipient) else { return false }
    row.message = message
    statements.inbox.updateItem.bind(1, recipient)
    statements.inbox.updateItem.bind(2, item)
    statements.inbox.updateItem.bind(3, message)
    statements.inbox.updateItem.bind(4, row.checksum)
    try statements.inbox.updateItem.run()
    return true
  }

  /// Dismisses the notification of a replaced reminder with the same key.
  private func retract(
    _ reminder: Symbol, _ notification: NotificationRecord, from stored: inout StoredRecipient
  ) throws {
    let standing = try standing(for: notification.key, of: reminder, row: notification.row)
    guard let standing else { return }
    try dismiss(standing, of: &stored, now: notification.at)
  }
}

// MARK: - Reading

extension StoreTransaction {
  /// Items of an inbox, the latest first. Cost: a few bytes for each skipped item.
  func inbox(row: UInt32, after last: Int64?, offset: Int, limit: Int) throws -> [InboxItem] {
    var items: [InboxItem] = []
    let page = statements.inbox.page
    page.bind(1, Int64(row))
    page.bind(2, Int64(limit))
    page.bind(3, Int64(offset))
    page.bind(4, last ?? .max)
    try page.rows { columns in
      let item = try InboxRow(columns)
      let message = try MessageRow.message(
        columns, from: InboxRow.columnCount, number: item.message)
      items.append(
        InboxItem(notification: item.item, at: item.at, isRead: item.isRead, message: message))
    }
    return items
  }

  /// The entry of a notification; nil if the notification is another recipient's.
  private func entry(_ notification: Int64, of stored: StoredRecipient) throws -> Entry? {
    guard let row = try row(of: notification), row.recipient == stored.row else { return nil }
    return Entry(
      leader: row.link.leader, reminder: row.reminder, key: row.key, outcome: row.outcome,
      isDismissed: row.dismissed != nil || notification <= stored.counts.cleared)
  }

  private struct Entry {
    var leader: Int64
    var reminder: Symbol
    var key: Int64
    var outcome: Outcome
    var isDismissed: Bool
  }

  /// The leader of the given notification, or the notification itself if it has none. Only the
  /// leader has an inbox item and records a dismissal.
  private func standing(
    for notification: Int64, of stored: StoredRecipient
  ) throws -> (row: Int64, entry: Entry)? {
    guard let entry = try entry(notification, of: stored) else { return nil }
    guard entry.leader != 0 else { return (notification, entry) }
    return try self.entry(entry.leader, of: stored).map { (entry.leader, $0) }
  }
}

// MARK: - Writing

extension StoreTransaction {
  func read(
    _ notifications: [Int64], of stored: inout StoredRecipient, now: Instant
  ) throws -> Int {
    var count = 0
    for notification in notifications where try read(notification, of: &stored, now: now) {
      count += 1
    }
    return count
  }

  /// - Returns: whether there is such an item.
  func read(
    _ notification: Int64, of stored: inout StoredRecipient, now: Instant
  ) throws -> Bool {
    guard let (item, entry) = try standing(for: notification, of: stored),
      try readState(item, of: stored) != nil
    else { return false }
    let read = statements.inbox.readItem
    read.bind(1, Int64(stored.row))
    read.bind(2, item)
    read.bind(3, now.milliseconds)
    try read.run()
    if read.changes > 0 { stored.counts.readItem() }
    stored.recipient.closeBatch(of: entry.reminder, opener: entry.key)
    return true
  }

  func readAll(of stored: inout StoredRecipient, now: Instant) throws {
    statements.inbox.readAll.bind(1, Int64(stored.row))
    statements.inbox.readAll.bind(2, now.milliseconds)
    try statements.inbox.readAll.run()
    stored.counts.unread = 0
    stored.recipient.closeBatches()
  }

  /// Dismisses a delivered notification: it is removed from the inbox and no longer recent. A
  /// member of a digest is only marked as dismissed, because only the digest is recent or in the
  /// inbox; the digest stays.
  ///
  /// - Returns: whether the notification was delivered, and not dismissed before.
  @discardableResult
  func dismiss(
    _ notification: Int64, of stored: inout StoredRecipient, now: Instant
  ) throws -> Bool {
    guard let (row, entry) = try standing(for: notification, of: stored),
      entry.outcome != .dropped, !entry.isDismissed
    else { return false }
    try change(row) { $0.dismissed = now }
    guard entry.outcome == .delivered else { return true }
    stored.counts.removeRecent()
    stored.recipient.closeBatch(of: entry.reminder, opener: entry.key)
    guard let isRead = try readState(row, of: stored) else { return true }
    try removeItem(row, isRead: isRead, of: &stored)
    return true
  }

  /// Removes an existing item from an inbox.
  func removeItem(_ item: Int64, isRead: Bool, of stored: inout StoredRecipient) throws {
    statements.inbox.deleteItem.bind(1, Int64(stored.row))
    statements.inbox.deleteItem.bind(2, item)
    try statements.inbox.deleteItem.run()
    stored.counts.removeItem(isRead: isRead)
  }

  /// Dismisses all delivered notifications: none is recent or in the inbox afterwards.
  ///
  /// - Returns: how many there were.
  func clear(_ stored: inout StoredRecipient) throws -> Int {
    statements.inbox.deleteAll.bind(1, Int64(stored.row))
    try statements.inbox.deleteAll.run()
    stored.recipient.closeBatches()
    return stored.counts.clear()
  }

  /// Whether an item is read; nil if it is not in the inbox.
  private func readState(_ item: Int64, of stored: StoredRecipient) throws -> Bool? {
    try inboxRow(item, of: Int64(stored.row))?.isRead
  }

  func inboxRow(_ item: Int64, of recipient: Int64) throws -> InboxRow? {
    statements.inbox.item.bind(1, recipient)
    statements.inbox.item.bind(2, item)
    return try statements.inbox.item.first { try InboxRow($0) }
  }
}
