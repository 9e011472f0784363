import Reminders

extension StoreTransaction {
  /// The row of what each of some notifications says, stored if it was not.
  func messages(of notifications: [NotificationRecord]) throws -> [Int64] {
    var rows: [Int64] = []
    rows.reserveCapacity(notifications.count)
    for (index, notification) in notifications.enumerated() {
      if notification.caption.isCommon {
        rows.append(try row(ofCommon: notification.caption))
      } else if index > 0, notification.says(likeItsTwin: notifications[index - 1]) {
        rows.append(rows[index - 1])
      } else {
        rows.append(try insert(notification.caption, hash: nil))
      }
    }
    return rows
  }

  /// Texts that many are told are kept once: a herd says the same few things to everyone.
  private func row(ofCommon caption: Caption) throws -> Int64 {
    if let row = statements.messages.known.row(of: caption) { return row }
    let hash = statements.hash.message(caption)
    let row = try find(caption, hash: hash) ?? insert(caption, hash: hash)
    statements.messages.known.add(caption, row: row)
    return row
  }

  private func find(_ caption: Caption, hash: Int64) throws -> Int64? {
    let select = statements.messages.ofHash
    select.bind(1, hash)
    defer { select.reset() }
    while try select.step() {
      let row = select.integer(0)
      if try MessageRow.caption(select, from: 1, number: row) == caption { return row }
    }
    return nil
  }

  private func insert(_ caption: Caption, hash: Int64?) throws -> Int64 {
    let row = statements.nextMessage
    statements.nextMessage += 1
    MessageRow.bind(caption, number: row, hash: hash, to: statements.messages.insert)
    try statements.messages.insert.run()
    return row
  }

  /// Removes what was said with a notification, which is not there, to its recipient alone.
  func forgetMessage(_ message: Int64, of notification: NotificationRecord) throws {
    let delete = statements.messages.deleteOwn
    delete.bind(1, message)
    delete.bind(2, Int64(notification.reminder.code))
    delete.bind(3, notification.key)
    delete.bind(4, Int64(notification.row))
    try delete.run()
  }
}

extension NotificationRecord {
  /// Whether this is the same occurrence's other way out, and says the same.
  fileprivate func says(likeItsTwin other: NotificationRecord) -> Bool {
    row == other.row && reminder == other.reminder && key == other.key
      && outcome == other.outcome && caption == other.caption
  }
}
