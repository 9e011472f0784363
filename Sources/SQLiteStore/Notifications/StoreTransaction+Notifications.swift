import CivilTime
import Reminders
import Store

extension StoreTransaction {
  /// Records notifications in order, each in the chain of its recipient. Notifications on the
  /// channel `inapp` are also added to the inbox. That happens exactly once, because it happens in
  /// the same transaction (rule D1).
  ///
  /// - Parameters:
  ///   - notifications: the records. The records of one recipient must be adjacent.
  ///   - recipients: the recipients. Their counters are updated and must be saved.
  /// - Returns: the row of each notification; nil for a notification that must not be sent, because
  ///   its occurrence already has an outcome. An earlier drop is replaced.
  func record(
    _ notifications: [NotificationRecord], of recipients: inout [StoredRecipient]
  ) throws -> [Int64?] {
    let first = statements.nextNotification
    let messages = try messages(of: notifications)
    let recipientIndices = Link.recipientIndices(of: notifications, in: recipients)
    var rows: [Int64?] = notifications.indices.map { first + Int64($0) }
    var links = try links(of: notifications, rows, recipientIndices, recipients)
    let records = notifications.span
    let incompleteRanges = try statements.insertNotifications.run(records.count) {
      insert, index in
      NotificationRow(
        records[index], number: first + Int64(index), message: messages[index], links[index]
      ).bind(to: insert)
    }
    var isComplete = true
    for index in incompleteRanges.joined() where try !isRecorded(first + Int64(index)) {
      isComplete = false
      let dropped = try removeDrop(
        for: notifications[index], of: &recipients[recipientIndices[index]])
      guard let dropped else {
        rows[index] = nil
        try deletePrivateMessage(messages[index], of: notifications[index])
        continue
      }
      if dropped >= first { rows[Int(dropped - first)] = nil }
      _ = try statements.insertNotifications.run(1) { insert, _ in
        NotificationRow(
          notifications[index], number: first + Int64(index), message: messages[index], Link()
        ).bind(to: insert)
      }
    }
    if !isComplete {
      links = try self.links(of: notifications, rows, recipientIndices, recipients)
      for (row, link) in zip(rows, links) { if let row { try relink(row, link) } }
    }
    try addToCountersAndInboxes(notifications, rows, links, recipientIndices, messages, &recipients)
    if let last = rows.last(where: { $0 != nil }) ?? nil { statements.nextNotification = last + 1 }
    return rows
  }

  /// Returns whether a notification exists. It is missing if its recipient was erased.
  func isRecorded(_ row: Int64) throws -> Bool {
    statements.isRecorded.bind(1, row)
    return try statements.isRecorded.first { _ in true } ?? false
  }

  /// Removes the record of a dropped occurrence, so that a new outcome can replace it. Drops are
  /// not final: while the clock was ahead, an occurrence that is due now may have been dropped as
  /// too late (rule T11).
  ///
  /// - Returns: the row of that record; nil if there is none.
  private func removeDrop(
    for notification: NotificationRecord, of stored: inout StoredRecipient
  ) throws -> Int64? {
    guard notification.outcome.replaces(.dropped) else { return nil }
    let deletions = [
      statements.deleteDropRetries, statements.deleteDropAttempts, statements.deleteDrop,
    ]
    for statement in [statements.inbox.dropped] + deletions {
      statement.bind(1, Int64(notification.reminder.code))
      statement.bind(2, notification.key)
      statement.bind(3, Int64(notification.row))
      statement.bind(4, Int64(Outcome.dropped.rawValue))
      statement.bind(5, Int64(notification.channelGroup.number))
      statement.bind(6, notification.round)
    }
    let drop = try statements.inbox.dropped.first { try NotificationRow($0) }
    guard let drop else { return nil }
    for statement in deletions { try statement.run() }
    try deletePrivateMessage(drop.message, of: notification)
    try unchain(drop.number, to: drop.link.previous, of: &stored)
    return drop.number
  }

  /// Applies the verdicts of gates that were evaluated again before a retry, on notifications that
  /// no sink has accepted.
  func applyVerdicts(_ verdicts: [DeliveryChanges.Verdict]) throws {
    for verdict in verdicts { try apply(verdict) }
  }

  private func apply(_ verdict: DeliveryChanges.Verdict) throws {
    guard let previous = try row(of: verdict.notification) else { return }
    if verdict.outcome != .delivered, previous.isDelivered, previous.link.leader == 0,
      previous.dismissed == nil
    {
      try lowerRecentCount(previous)
    }
    try change(verdict.notification) { row in
      row.outcome = verdict.outcome
      var trace = verdict.trace
      trace.add(row.trace)
      row.trace = trace
    }
  }

  /// Decrements the recipient's count of recent notifications, because this notification counted
  /// and was not sent.
  private func lowerRecentCount(_ notification: NotificationRow) throws {
    let select = statements.schedule
    select.bind(1, Int64(notification.recipient))
    let found = try select.first { row in
      let progress = Array(row.bytes(ScheduleRow.progressColumn(from: 0)))
      return (try ScheduleRow(row), progress)
    }
    guard case (var schedule, let progress)? = found,
      schedule.counts.cleared < notification.number
    else { return }
    schedule.counts.removeRecent()
    _ = try statements.replaceSchedules.run(1) { replace, _ in
      schedule.bind(with: progress, to: replace)
    }
  }

  // MARK: - One row

  /// Returns the row of a notification; nil if it is missing.
  func row(of notification: Int64) throws -> NotificationRow? {
    statements.notification.bind(1, notification)
    return try statements.notification.first { try NotificationRow($0) }
  }

  /// Changes the mutable columns of a notification; does nothing if the notification is missing.
  func change(_ notification: Int64, _ change: (inout NotificationRow) -> Void) throws {
    guard var row = try row(of: notification) else { return }
    change(&row)
    row.bind(toUpdate: statements.changeNotification)
    try statements.changeNotification.run()
  }
}
