import CivilTime
package import Reminders

extension StoreTransaction {
  /// Records outcomes, each after those before it: in the chain of its recipient, and in the inbox
  /// if that is where it went (rule D1: exactly once, for it is the same transaction).
  ///
  /// - Parameters:
  ///   - notifications: those of a recipient stand together.
  ///   - herd: the recipients; their ledgers are brought up to date, and are to be saved.
  /// - Returns: for each the notification's row, or nil if the occurrence has an outcome already:
  ///   then it must not go out again. A delivery takes the place of a drop.
  package func record(
    _ notifications: [NotificationRecord], of herd: inout [StoredRecipient]
  ) throws -> [Int64?] {
    let first = statements.nextNotification
    let messages = try notifications.map { try intern($0.caption) }
    let places = Self.places(of: notifications, in: herd)
    var rows: [Int64?] = notifications.indices.map { first + Int64($0) }
    var links = try links(of: notifications, rows, places, herd)
    let incomplete = try statements.insertNotifications.run(notifications.count) { insert, index in
      bind(
        notifications[index], first + Int64(index), message: messages[index], links[index],
        to: insert)
    }
    var isComplete = true
    for index in incomplete.joined() where try !isRecorded(first + Int64(index)) {
      isComplete = false
      let dropped = try takeOutDrop(for: notifications[index], of: &herd[places[index]])
      guard let dropped else {
        rows[index] = nil
        continue
      }
      if dropped >= first { rows[Int(dropped - first)] = nil }
      _ = try statements.insertNotifications.run(1) { insert, _ in
        bind(
          notifications[index], first + Int64(index), message: messages[index], Link(),
          to: insert)
      }
    }
    if !isComplete {
      links = try self.links(of: notifications, rows, places, herd)
      for (row, link) in zip(rows, links) { if let row { try relink(row, link) } }
    }
    try enter(notifications, rows, links, places, messages, &herd)
    if let last = rows.last(where: { $0 != nil }) ?? nil { statements.nextNotification = last + 1 }
    return rows
  }

  private func bind(
    _ notification: NotificationRecord, _ row: Int64, message: Int64, _ link: Link,
    to insert: HotStatement
  ) {
    insert.bind(1, row)
    insert.bind(2, Int64(notification.row))
    insert.bind(3, Int64(notification.reminder.code))
    insert.bind(4, notification.key)
    insert.bind(5, Int64(notification.track.place))
    insert.bind(6, notification.planned.milliseconds)
    insert.bind(7, notification.at.milliseconds)
    insert.bind(8, notification.expiry.milliseconds)
    insert.bind(9, Int64(notification.outcome.rawValue))
    insert.bind(10, Int64(notification.channels.rawValue))
    insert.bind(11, (notification.isSilent ? 1 : 0) | Int64(notification.hints.rawValue) << 1)
    insert.bind(12, Int64(bitPattern: notification.trace.rawValue))
    insert.bind(13, message)
    insert.bind(14, link.previous)
    insert.bind(15, link.leader)
  }

  /// Whether a notification is there: its recipient may have been erased since.
  package func isRecorded(_ row: Int64) throws -> Bool {
    statements.isRecorded.bind(1, row)
    return try statements.isRecorded.first { _ in true } ?? false
  }

  /// Takes a drop out, so that a delivery can take its place. Only what went out is final: a clock
  /// that ran ahead may have dropped what is due now (rule T6).
  ///
  /// - Returns: the row of the drop; nil if there is none.
  private func takeOutDrop(
    for notification: NotificationRecord, of stored: inout StoredRecipient
  ) throws -> Int64? {
    guard notification.outcome != .dropped else { return nil }
    let forget = [statements.forgetRetries, statements.forgetAttempts, statements.forgetDrop]
    for statement in [statements.inbox.dropped] + forget {
      statement.bind(1, Int64(notification.reminder.code))
      statement.bind(2, notification.key)
      statement.bind(3, Int64(notification.row))
      statement.bind(4, Int64(Outcome.dropped.rawValue))
      statement.bind(5, Int64(notification.track.place))
    }
    let found = try statements.inbox.dropped.first { ($0.integer(0), $0.integer(1)) }
    guard let (row, previous) = found else { return nil }
    for statement in forget { try statement.run() }
    try unchain(row, to: previous, of: &stored)
    return row
  }

  /// Adds a later verdict to a notification that no sink has taken; what the gates said before
  /// stays known (rule V8).
  package func settle(_ notification: Int64, outcome: Outcome, trace: GateTrace) throws {
    var trace = trace
    statements.history.trace.bind(1, notification)
    let before = try statements.history.trace.first { UInt64(bitPattern: $0.integer(0)) }
    trace.add(GateTrace(rawValue: before ?? 0))
    if outcome != .delivered {
      statements.inbox.uncount.bind(1, notification)
      statements.inbox.uncount.bind(2, Int64(Outcome.delivered.rawValue))
      try statements.inbox.uncount.run()
    }
    statements.settleNotification.bind(1, notification)
    statements.settleNotification.bind(2, Int64(outcome.rawValue))
    statements.settleNotification.bind(3, Int64(bitPattern: trace.rawValue))
    try statements.settleNotification.run()
  }

  /// Texts are kept once: a herd says the same few things to everyone.
  private func intern(_ caption: Caption) throws -> Int64 {
    let (identity, isNew) = statements.messages.meet(caption)
    guard isNew else { return identity }
    statements.insertMessage.bind(1, identity)
    statements.insertMessage.bind(2, caption.reminder)
    statements.insertMessage.bind(3, caption.category)
    statements.insertMessage.bind(4, caption.title)
    statements.insertMessage.bind(5, caption.body)
    statements.insertMessage.bind(6, caption.details)
    statements.insertMessage.bind(7, caption.members.joined(separator: ","))
    try statements.insertMessage.run()
    return identity
  }
}
