package import CivilTime
package import Reminders

/// An occurrence's outcome, as it is recorded before any sink sees it (rule D1).
package struct NotificationRecord: Sendable {
  package var row: UInt32
  package var reminder: Symbol
  package var key: Int64
  package var track: Track
  package var planned: Instant
  package var at: Instant
  package var outcome: Outcome
  package var channels: ChannelSet
  package var isSilent: Bool
  package var hints: Hints = []
  package var trace: GateTrace
  package var expiry: Instant
  package var caption: Caption

  package init(
    row: UInt32, reminder: Symbol, key: Int64, track: Track, planned: Instant, at: Instant,
    outcome: Outcome, channels: ChannelSet, isSilent: Bool, trace: GateTrace, expiry: Instant,
    caption: Caption
  ) {
    self.row = row
    self.reminder = reminder
    self.key = key
    self.track = track
    self.planned = planned
    self.at = at
    self.outcome = outcome
    self.channels = channels
    self.isSilent = isSilent
    self.trace = trace
    self.expiry = expiry
    self.caption = caption
  }
}

extension StoreTransaction {
  /// Records outcomes.
  ///
  /// - Returns: for each the notification's row, or nil if the occurrence has an outcome already:
  ///   then it must not go out again. A delivery takes the place of a drop.
  package func record(_ notifications: [NotificationRecord]) throws -> [Int64?] {
    let first = statements.nextNotification
    let messages = try notifications.map { try intern($0.caption) }
    let incomplete = try statements.insertNotifications.run(notifications.count) { insert, index in
      bind(notifications[index], first + Int64(index), message: messages[index], to: insert)
    }
    var rows: [Int64?] = notifications.indices.map { first + Int64($0) }
    for index in incomplete.joined() where try !isRecorded(first + Int64(index)) {
      let isReplaced = try replaceDrop(
        by: notifications[index], first + Int64(index), message: messages[index])
      if !isReplaced { rows[index] = nil }
    }
    if let last = rows.last(where: { $0 != nil }) ?? nil { statements.nextNotification = last + 1 }
    return rows
  }

  private func bind(
    _ notification: NotificationRecord, _ row: Int64, message: Int64, to insert: HotStatement
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
    insert.bind(12, Int64(notification.trace.rawValue))
    insert.bind(13, message)
  }

  /// Whether a notification is there: its recipient may have been erased since.
  package func isRecorded(_ row: Int64) throws -> Bool {
    statements.isRecorded.bind(1, row)
    return try statements.isRecorded.first { _ in true } ?? false
  }

  /// Only what went out is final: a clock that ran ahead may have dropped what is due now
  /// (rule T6).
  private func replaceDrop(
    by notification: NotificationRecord, _ row: Int64, message: Int64
  ) throws -> Bool {
    guard notification.outcome != .dropped else { return false }
    for statement in [statements.forgetRetries, statements.forgetDrop] {
      statement.bind(1, Int64(notification.reminder.code))
      statement.bind(2, notification.key)
      statement.bind(3, Int64(notification.row))
      statement.bind(4, Int64(Outcome.dropped.rawValue))
      statement.bind(5, Int64(notification.track.place))
      try statement.run()
    }
    guard statements.forgetDrop.changes > 0 else { return false }
    return try statements.insertNotifications.run(1) { insert, _ in
      bind(notification, row, message: message, to: insert)
    }.isEmpty
  }

  /// Adds a later verdict to a notification that no sink has taken; what the gates said before
  /// stays known (rule V8).
  package func settle(_ notification: Int64, outcome: Outcome, trace: GateTrace) throws {
    var trace = trace
    statements.history.trace.bind(1, notification)
    let before = try statements.history.trace.first { UInt32(truncatingIfNeeded: $0.integer(0)) }
    trace.add(GateTrace(rawValue: before ?? 0))
    statements.settleNotification.bind(1, notification)
    statements.settleNotification.bind(2, Int64(outcome.rawValue))
    statements.settleNotification.bind(3, Int64(trace.rawValue))
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
