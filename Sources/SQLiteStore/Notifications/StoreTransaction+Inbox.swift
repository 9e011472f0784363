import CivilTime
import Reminders
import Store

extension StoreTransaction {
  /// Adds recorded notifications to the counters and the inboxes.
  ///
  /// - Parameters:
  ///   - rows: the rows of the notifications; nil for one that is not recorded.
  ///   - recipientIndices: the index of each notification's recipient in `recipients`.
  ///   - messages: the row of each notification's message.
  func addToCountersAndInboxes(
    _ notifications: [NotificationRecord], _ rows: [Int64?], _ links: [Link],
    _ recipientIndices: [Int], _ messages: [Int64], _ recipients: inout [StoredRecipient]
  ) throws {
    var insertions: [(recipient: Int64, item: Int64, index: Int)] = []
    insertions.reserveCapacity(notifications.count)
    // Unlike the elements of an array, those of a span are not copied.
    let records = notifications.span
    for index in records.indices {
      guard let row = rows[index] else { continue }
      let leader = links[index].leader
      recipients[recipientIndices[index]].counts.record(
        row, isRecent: records[index].isDelivered && leader == 0)
      guard records[index].isDelivered else { continue }
      for reminder in records[index].replaced {
        try dismissReplaced(
          by: records[index], of: reminder, from: &recipients[recipientIndices[index]])
      }
      guard records[index].channelGroup == .inapp else { continue }
      let (recipient, item) = (Int64(records[index].row), leader == 0 ? row : leader)
      if leader != 0,
        let insertion = insertions.firstIndex(where: {
          ($0.recipient, $0.item) == (recipient, item)
        })
      {
        insertions[insertion].index = index
      } else if try leader == 0 || !setMessage(messages[index], ofItem: item, of: recipient) {
        insertions.append((recipient, item, index))
        recipients[recipientIndices[index]].counts.addItem()
      }
    }
    _ = try statements.inbox.insertItems.run(insertions.count) { insert, offset in
      let (recipient, item, index) = insertions[offset]
      InboxRow(
        recipient: recipient, item: item, message: messages[index], at: records[index].at
      ).bind(to: insert)
    }
  }

  /// Replaces the text of an inbox item.
  ///
  /// - Returns: whether the item exists.
  private func setMessage(
    _ message: Int64, ofItem item: Int64, of recipient: Int64
  ) throws -> Bool {
    guard var row = try inboxRow(item, of: recipient) else { return false }
    row.message = message
    statements.inbox.updateItem.bind(1, recipient)
    statements.inbox.updateItem.bind(2, item)
    statements.inbox.updateItem.bind(3, message)
    statements.inbox.updateItem.bind(4, row.checksum)
    try statements.inbox.updateItem.run()
    return true
  }

  /// Dismisses the notification that `notification` replaces: the one of `reminder` with the same
  /// key. Does nothing if there is none.
  private func dismissReplaced(
    by notification: NotificationRecord, of reminder: Symbol, from stored: inout StoredRecipient
  ) throws {
    let replaced = try firstDelivered(
      for: notification.key, of: reminder, row: notification.row)
    guard let replaced else { return }
    try dismiss(replaced, of: &stored, now: notification.at)
  }
}

// MARK: - Reading

extension StoreTransaction {
  /// Returns items of an inbox, the latest first. Cost: reads a few bytes of each skipped item.
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

  /// Returns the stored state of a notification; nil if it is missing or another recipient's.
  private func state(
    of notification: Int64, for stored: StoredRecipient
  ) throws -> StoredState? {
    guard let row = try row(of: notification), row.recipient == stored.row else { return nil }
    return StoredState(
      leader: row.link.leader, reminder: row.reminder, key: row.key, outcome: row.outcome,
      isDelivered: row.isDelivered,
      isDismissed: row.dismissed != nil || notification <= stored.counts.cleared)
  }

  private struct StoredState {
    /// The notification's leader, which is the first notification of its occurrence or batch; 0 if
    /// it has none.
    var leader: Int64
    var reminder: Symbol
    /// The key that identifies the occurrence among those of its reminder.
    var key: Int64
    var outcome: Outcome
    /// False also for a message to other people, because it has no channels.
    var isDelivered: Bool
    var isDismissed: Bool
  }

  /// Returns the leader of a notification: the first notification of its occurrence or batch, which
  /// may be the notification itself. Returns nil if the notification is missing or another
  /// recipient's. Only the leader has an inbox item and records a dismissal.
  private func leader(
    of notification: Int64, for stored: StoredRecipient
  ) throws -> (row: Int64, state: StoredState)? {
    guard let state = try state(of: notification, for: stored) else { return nil }
    guard state.leader != 0 else { return (notification, state) }
    return try self.state(of: state.leader, for: stored).map { (state.leader, $0) }
  }
}

// MARK: - Writing

extension StoreTransaction {
  func markAsRead(
    _ notifications: [Int64], of stored: inout StoredRecipient, now: Instant
  ) throws -> Int {
    var count = 0
    for notification in notifications where try markAsRead(notification, of: &stored, now: now) {
      count += 1
    }
    return count
  }

  /// Marks the item of a notification's leader as read, and closes the item's batch: later
  /// notifications get another item. Notifications that share an item are a batch.
  ///
  /// - Returns: whether there is such an item.
  func markAsRead(
    _ notification: Int64, of stored: inout StoredRecipient, now: Instant
  ) throws -> Bool {
    guard let (item, state) = try leader(of: notification, for: stored),
      try readState(item, of: stored) != nil
    else { return false }
    let update = statements.inbox.markItemAsRead
    update.bind(1, Int64(stored.row))
    update.bind(2, item)
    update.bind(3, now.milliseconds)
    try update.run()
    if update.changes > 0 { stored.counts.readItem() }
    stored.recipient.closeBatch(of: state.reminder, opener: state.key)
    return true
  }

  func markAllAsRead(of stored: inout StoredRecipient, now: Instant) throws {
    statements.inbox.markAllAsRead.bind(1, Int64(stored.row))
    statements.inbox.markAllAsRead.bind(2, now.milliseconds)
    try statements.inbox.markAllAsRead.run()
    stored.counts.unread = 0
    stored.recipient.closeBatches()
  }

  /// Dismisses a delivered notification. The notification leaves the inbox, and no longer counts as
  /// recent. A notification in a digest has no inbox item and does not count as recent. It is only
  /// marked as dismissed, and the digest stays.
  ///
  /// - Returns: false if the notification is missing, was dropped, or was dismissed before.
  @discardableResult
  func dismiss(
    _ notification: Int64, of stored: inout StoredRecipient, now: Instant
  ) throws -> Bool {
    guard let (row, state) = try leader(of: notification, for: stored),
      state.outcome != .dropped, !state.isDismissed
    else { return false }
    try change(row) { $0.dismissed = now }
    guard state.isDelivered else { return true }
    stored.counts.removeRecent()
    stored.recipient.closeBatch(of: state.reminder, opener: state.key)
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
  /// - Returns: the number of notifications that were recent before the call.
  func clear(_ stored: inout StoredRecipient) throws -> Int {
    statements.inbox.deleteAll.bind(1, Int64(stored.row))
    try statements.inbox.deleteAll.run()
    stored.recipient.closeBatches()
    return stored.counts.clear()
  }

  /// Returns whether the recipient has read an item; nil if the item is not in the inbox.
  private func readState(_ item: Int64, of stored: StoredRecipient) throws -> Bool? {
    try inboxRow(item, of: Int64(stored.row))?.isRead
  }

  /// Returns an item of an inbox; nil if there is none.
  func inboxRow(_ item: Int64, of recipient: Int64) throws -> InboxRow? {
    statements.inbox.item.bind(1, recipient)
    statements.inbox.item.bind(2, item)
    return try statements.inbox.item.first { try InboxRow($0) }
  }
}
