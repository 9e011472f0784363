import CivilTime
import Postgres
import Reminders
import Store

/// The key of an inbox item.
struct InboxItemKey: Hashable {
  /// The row of the recipient.
  let row: UInt32
  /// The notification that the item shows.
  let item: Int64
}

extension PostgresWork {
  /// Adds recorded notifications to the counters and the inboxes.
  ///
  /// - Parameter messages: the number of each notification's message.
  func addToCountersAndInboxes(
    _ recording: Recording, _ messages: [Int64], _ recipients: inout [StoredRecipient]
  ) throws {
    let existingItems = try items(Set(itemsToUpdate(recording)))
    var writes = ItemWrites()
    for (index, notification) in recording.notifications.enumerated() {
      guard let number = recording.numbers[index] else { continue }
      let leader = recording.links[index].leader
      let recipientIndex = recording.recipientIndices[index]
      recipients[recipientIndex].counts.record(
        number, isRecent: notification.isDelivered && leader == 0)
      guard notification.isDelivered else { continue }
      for reminder in notification.replaced {
        try write(&writes)
        try dismissReplaced(
          by: notification, of: reminder, recording, from: &recipients[recipientIndex])
      }
      guard notification.channelGroup == .inapp else { continue }
      let key = InboxItemKey(row: notification.row, item: leader == 0 ? number : leader)
      if existingItems[key] != nil {
        writes.setMessage(messages[index], of: key)
      } else if writes.add(
        key, message: messages[index], at: notification.at,
        shard: try owned(recipients[recipientIndex].recipient.name))
      {
        recipients[recipientIndex].counts.addItem()
      }
    }
    try write(&writes)
  }

  /// Returns the keys of the items that the recorded notifications may update.
  private func itemsToUpdate(_ recording: Recording) -> [InboxItemKey] {
    zip(recording.notifications, recording.links).compactMap { notification, link in
      guard notification.channelGroup == .inapp, link.leader != 0 else { return nil }
      return InboxItemKey(row: notification.row, item: link.leader)
    }
  }

  /// Dismisses the notification that `notification` replaces: the one of `reminder` with the same
  /// key. Does nothing if there is none.
  private func dismissReplaced(
    by notification: NotificationRecord, of reminder: Symbol, _ recording: Recording,
    from stored: inout StoredRecipient
  ) throws {
    let occurrence = Occurrence(reminder: reminder, key: notification.key, row: notification.row)
    guard let replaced = recording.firstDelivered(occurrence, nil) else { return }
    _ = try dismiss(replaced, of: &stored, now: notification.at)
  }

  /// Writes new and changed items, and empties `writes`.
  private func write(_ writes: inout ItemWrites) throws {
    try insert(writes.insertions, into: .inbox)
    try write(
      writes.updates, "recipient, item, message", "UPDATE inbox i SET message = u.message FROM",
      "WHERE i.recipient = u.recipient AND i.item = u.item")
    writes = ItemWrites(following: writes)
  }

  /// Returns, for each given item that exists, whether the recipient has read it.
  func items(_ keys: some Collection<InboxItemKey>) throws -> [InboxItemKey: Bool] {
    guard !keys.isEmpty else { return [:] }
    var keyRows = PostgresRows(.int8, .int8)
    for key in keys {
      keyRows.add(key.row)
      keyRows.add(key.item)
    }
    var found: [InboxItemKey: Bool] = [:]
    try query(
      """
      SELECT i.recipient, i.item, i.read IS NOT NULL FROM \(keyRows.unnested) AS u(recipient, item)
      JOIN inbox i ON i.recipient = u.recipient AND i.item = u.item
      """, keyRows.arrays
    ) { row in
      let key = InboxItemKey(
        row: UInt32(truncatingIfNeeded: row.integer(0)), item: row.integer(1))
      found[key] = row.integer(2) != 0
    }
    return found
  }

  func inbox(row: UInt32, after last: Int64?, offset: Int, limit: Int) throws -> [InboxItem] {
    try rows(
      """
      SELECT i.item, i.at, i.read IS NOT NULL, \(MessageRow.columns)
      FROM (SELECT item, message, at, read FROM inbox WHERE recipient = $1 AND item < $4
            ORDER BY item DESC LIMIT $2 OFFSET $3) i
      JOIN message m ON m.id = i.message ORDER BY i.item DESC
      """, [.integer(row), .integer(limit), .integer(offset), .integer(last ?? .max)]
    ) { row in
      InboxItem(
        notification: row.integer(0), at: Instant(milliseconds: row.integer(1)),
        isRead: row.integer(2) != 0, message: MessageRow.message(row, from: 3))
    }
  }
}

/// The inbox items to write.
private struct ItemWrites {
  private struct Item {
    /// The number of the item's message.
    var message: Int64
    /// When the gates passed the notification.
    var at: Instant
    /// The shard of the recipient.
    var shard: Int64
  }

  private var newItems: [InboxItemKey: Item] = [:]
  /// The new messages of existing items.
  private var newMessages: [InboxItemKey: Int64] = [:]
  /// The items that earlier calls of `write` inserted.
  private var insertedItems: Set<InboxItemKey> = []

  init() {}

  /// Creates empty writes that follow others, which have been written.
  init(following other: ItemWrites) {
    insertedItems = other.insertedItems.union(other.newItems.keys)
  }

  mutating func setMessage(_ message: Int64, of key: InboxItemKey) { newMessages[key] = message }

  /// Adds an item, or updates its message if it exists.
  ///
  /// - Returns: whether the item is new.
  mutating func add(_ key: InboxItemKey, message: Int64, at: Instant, shard: Int64) -> Bool {
    guard !insertedItems.contains(key) else {
      setMessage(message, of: key)
      return false
    }
    return newItems.updateValue(Item(message: message, at: at, shard: shard), forKey: key) == nil
  }

  /// The rows of the new items.
  var insertions: PostgresRows {
    var rows = PostgresTable.inbox.rows
    for (key, item) in newItems.sorted(by: { $0.key.item < $1.key.item }) {
      rows.add(item.shard)
      rows.add(key.row)
      rows.add(key.item)
      rows.add(item.message)
      rows.add(item.at)
      rows.add(nil as Instant?)
    }
    return rows
  }

  /// The keys of existing items, each with its new message.
  var updates: PostgresRows {
    var rows = PostgresRows(.int8, .int8, .int8)
    for (key, message) in newMessages {
      rows.add(key.row)
      rows.add(key.item)
      rows.add(message)
    }
    return rows
  }
}
