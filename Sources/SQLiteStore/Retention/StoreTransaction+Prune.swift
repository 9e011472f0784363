import CivilTime
import Reminders
import Store

/// Removes data that is older than its retention, a few rows at a time, the oldest first (rule H7).
extension StoreTransaction {
  /// The key of the note with the highest number among the notifications that were removed by age.
  private static let prunedNote = "pruned notifications"

  /// Removes the old rows that one step examines.
  ///
  /// - Parameters:
  ///   - age: decides which rows are old.
  ///   - cursor: where the previous step ended; 0 to begin.
  ///   - limit: the maximum number of rows to examine.
  ///   - keeps: returns whether the occurrence of a recipient, with a reminder and a key, must stay
  ///     recorded, so that it is not sent again.
  ///   - fold: folds removed events into the base of their recipient's facts.
  func prune(
    _ part: RetentionPart, by age: Age, after cursor: Int64, limit: Int,
    keeping keeps: (StoredRecipient, Symbol, Int64) -> Bool, folding fold: EventFolding
  ) throws -> Pruned {
    switch part {
    case .attempts: try pruneAttempts(by: age, after: cursor, limit: limit)
    case .events: try pruneEvents(by: age, after: cursor, limit: limit, folding: fold)
    case .notifications:
      try pruneNotifications(by: age, after: cursor, limit: limit, keeping: keeps)
    case .analytics: try pruneAnalytics(by: age, after: cursor, limit: limit)
    case .usage: try pruneUsage(by: age, after: cursor)
    }
  }

  /// Removes the usage counts of one date. The returned cursor is the date, in days since
  /// 1970-01-01.
  private func pruneUsage(by age: Age, after cursor: Int64) throws -> Pruned {
    guard let old = try oldUsage(by: age, after: cursor) else { return Pruned() }
    let delete = statements.analytics.deleteUsage
    delete.bind(1, old.date)
    try delete.run()
    return Pruned(removed: delete.changes, cursor: old.date)
  }

  /// Returns the next date with usage counts, and its number of rows; nil if that date is not old.
  func oldUsage(by age: Age, after cursor: Int64) throws -> (date: Int64, count: Int)? {
    let select = statements.analytics.nextUsage
    select.bind(1, cursor)
    var found: (date: Int64, count: Int)?
    try select.rows { found = ($0.integer(0), Int($0.integer(1))) }
    guard let found, age.isOld(LocalDate(daysSinceEpoch: Int(found.date))) else { return nil }
    return found
  }

  func prunedThrough() throws -> Int64 {
    try note(Self.prunedNote).flatMap { Int64($0) } ?? 0
  }

  // MARK: - Attempts

  /// Removes old attempts. The last attempt of a failed delivery records the failure, and a report
  /// records the delivery's state. Both stay as long as their notification.
  private func pruneAttempts(by age: Age, after cursor: Int64, limit: Int) throws -> Pruned {
    let (examined, mayContinue) = try notificationsWithAttempts(by: age, after: cursor, limit)
    var pruned = Pruned(cursor: mayContinue ? examined.last : nil)
    for notification in examined {
      for old in try oldAttempts(of: notification, by: age) {
        let delete = statements.retention.deleteAttempts
        delete.bind(1, notification)
        delete.bind(2, Int64(old.channel.rawValue))
        delete.bind(3, old.isDelivered ? 1 : 0)
        try delete.run()
        pruned.removed += delete.changes
      }
    }
    return pruned
  }

  /// The attempts of a notification on a channel, all of which are old.
  struct OldAttempts {
    let channel: Channel
    /// The attempts in the order of time, without reports and withdrawals.
    let attempts: [Attempt]

    /// Whether the sink accepted the last attempt.
    var isDelivered: Bool { attempts.last?.verdict == .delivered }
    /// The attempts to remove.
    var superfluous: ArraySlice<Attempt> { isDelivered ? attempts[...] : attempts.dropLast() }
  }

  /// Returns the attempts of a notification on those channels on which all attempts are old.
  func oldAttempts(of notification: Int64, by age: Age) throws -> [OldAttempts] {
    let attempts = try attempts(of: notification).filter(\.verdict.isAttempt)
    return Dictionary(grouping: attempts, by: \.channel)
      .filter { $0.value.allSatisfy { age.isOld($0.at) } }
      .map { OldAttempts(channel: $0.key, attempts: $0.value) }
  }

  // MARK: - Events

  /// Removes events and their identities, and folds the events into the bases of their recipients.
  /// So a later repetition counts as a new event. The rows of
  /// erased events stay. The event of a waiting request stays too, because an app can withdraw the
  /// request by the event's identity.
  private func pruneEvents(
    by age: Age, after cursor: Int64, limit: Int, folding fold: EventFolding
  ) throws -> Pruned {
    let (examined, mayContinue) = try events(by: age, after: cursor, limit)
    var pruned = Pruned(cursor: mayContinue ? examined.last?.number : nil)
    var removed: [RemovedEvent] = []
    let identities = statements.unwrittenIdentities
    defer { identities.isNeeded = identities.isNeeded && pruned.cursor != nil }
    for event in examined {
      // The identity is not in the table yet. If the event were removed now, its identity would
      // still be written to the table later.
      guard event.number <= identities.completeThrough else {
        identities.isNeeded = true
        pruned.cursor = max(cursor, event.number - 1)
        break
      }
      guard try isRemovable(event, by: age) else { continue }
      try forgetIdentity(of: event)
      removed.append(
        RemovedEvent(
          row: UInt32(truncatingIfNeeded: event.recipient), event: event.stored,
          previous: event.previous))
    }
    try self.fold(removed, before: age.end, by: fold)
    for event in removed {
      statements.retention.deleteEvent.bind(1, event.event.order)
      try statements.retention.deleteEvent.run()
    }
    pruned.removed = removed.count
    if pruned.removed > 0 { try saveNote("next event", "\(statements.nextEvent)") }
    return pruned
  }

  /// Whether the event can be removed: it is old, not erased, and does not request a reminder that
  /// is still waiting.
  func isRemovable(_ event: OldEvent, by age: Age) throws -> Bool {
    guard !event.isErased, age.isOld(event.stored.received) else { return false }
    return try !event.isRequest || !isWaiting(event)
  }

  /// Whether the facts of the event's recipient still contain the request.
  private func isWaiting(_ event: OldEvent) throws -> Bool {
    let stored = try recipient(row: UInt32(truncatingIfNeeded: event.recipient))
    return stored?.recipient.facts.request(event.number) != nil
  }

  /// Removes an identity. It stays if the next slot is in use: another identity with the same hash
  /// may be there, and would no longer be found.
  private func forgetIdentity(of event: OldEvent) throws {
    var slot = slot(source: event.stored.source, identifier: event.stored.identifier)
    while let row = try row(at: slot), row != event.number { slot &+= 1 }
    guard try row(at: slot &+ 1) == nil else { return }
    statements.retention.deleteIdentity.bind(1, slot)
    statements.retention.deleteIdentity.bind(2, event.number)
    try statements.retention.deleteIdentity.run()
  }

  // MARK: - Analytics events

  private func pruneAnalytics(by age: Age, after cursor: Int64, limit: Int) throws -> Pruned {
    let step = try oldAnalytics(by: age, after: cursor, limit)
    for event in step.removable {
      statements.retention.deleteAnalytics.bind(1, event.number)
      try statements.retention.deleteAnalytics.run()
    }
    return Pruned(removed: step.removable.count, cursor: step.cursor)
  }

  // MARK: - Notifications

  private func pruneNotifications(
    by age: Age, after cursor: Int64, limit: Int,
    keeping keeps: (StoredRecipient, Symbol, Int64) -> Bool
  ) throws -> Pruned {
    let (examined, mayContinue) = try notifications(by: age, after: cursor, limit)
    var pruned = Pruned(cursor: mayContinue ? examined.last : nil)
    var recipients: [UInt32: StoredRecipient] = [:]
    var links: [UInt32: RemovedLinks] = [:]
    var through = try prunedThrough()
    for number in examined {
      guard let row = try row(of: number), age.isOld(row.at) else { continue }
      let known = recipients[row.recipient]
      guard known != nil || recipients.count < PruningStep.recipientsMax else {
        pruned.cursor = number - 1
        break
      }
      guard var stored = try known ?? recipient(row: row.recipient) else { continue }
      recipients[row.recipient] = stored
      guard try !isNeeded(row, of: stored, keeps, stays: isRecorded) else { continue }
      try remove(row, of: &stored)
      recipients[row.recipient] = stored
      links[row.recipient, default: RemovedLinks()].add(number, previous: row.link.previous)
      through = max(through, number)
      pruned.removed += 1
    }
    for (row, links) in links.sorted(by: { $0.key < $1.key }) {
      guard var stored = recipients[row] else { continue }
      try skip(links, in: &stored)
      try save([stored], [Schedule(due: stored.due, pending: stored.pending)])
    }
    if pruned.removed > 0 {
      try saveNote(Self.prunedNote, "\(through)")
      try saveNote("next notification", "\(statements.nextNotification)")
      try saveNote("next message", "\(statements.nextMessage)")
    }
    return pruned
  }

  /// Makes the chain of a recipient's notifications lead past the removed ones to those that stay.
  /// Cost: the length of the chain down to the first removed notification, if any stays before one.
  private func skip(_ removed: RemovedLinks, in stored: inout StoredRecipient) throws {
    guard let first = removed.first, try removed.remaining.contains(where: isRecorded) else {
      return
    }
    var current = stored.counts.head
    let head = removed.remaining(from: current)
    if head != current, try isRecorded(head) { (stored.counts.head, current) = (head, head) }
    while current > first, let row = try row(of: current) {
      let previous = removed.remaining(from: row.link.previous)
      if previous != row.link.previous, try isRecorded(previous) {
        try change(current) { $0.link.previous = previous }
      }
      current = previous
    }
  }

  /// Whether a notification must stay, for one of these reasons:
  ///
  /// - It is an unread inbox item, and the recipient has at most `Retention.unreadKeptMax` of them.
  /// - It prevents its occurrence from being sent again.
  /// - A sink has not yet answered it.
  /// - Its leader stays.
  func isNeeded(
    _ row: NotificationRow, of stored: StoredRecipient,
    _ keeps: (StoredRecipient, Symbol, Int64) -> Bool, stays: (Int64) throws -> Bool
  ) throws -> Bool {
    if row.link.leader != 0, try stays(row.link.leader) { return true }
    if row.isDelivered, try isUnanswered(row) { return true }
    if row.isDelivered, keeps(stored, row.reminder, row.key) { return true }
    guard stored.counts.unread <= Retention.unreadKeptMax else { return false }
    return try inboxRow(row.number, of: Int64(stored.row)).map { !$0.isRead } ?? false
  }

  /// Whether a sink has not yet answered a delivery of the notification (rule D1).
  private func isUnanswered(_ row: NotificationRow) throws -> Bool {
    let select = statements.retention.unanswered
    select.bind(1, row.number)
    select.bind(2, Int64(row.channels.rawValue))
    return try select.first { _ in true } ?? false
  }

  /// Removes a notification with all rows that belong to it, and updates the recipient's counters.
  /// The recipient's chain still leads to it.
  private func remove(_ row: NotificationRow, of stored: inout StoredRecipient) throws {
    if row.isDelivered, row.link.leader == 0, row.dismissed == nil,
      row.number > stored.counts.cleared
    {
      stored.counts.removeRecent()
    }
    if let item = try inboxRow(row.number, of: Int64(stored.row)) {
      try removeItem(row.number, isRead: item.isRead, of: &stored)
    }
    for statement in statements.erasure.clearNotification {
      statement.bind(1, row.number)
      try statement.run()
    }
    statements.erasure.clearMessage.bind(1, row.message)
    if try !isShared(row) { try statements.erasure.clearMessage.run() }
  }

  /// Whether another notification of the same occurrence uses the same message row.
  private func isShared(_ row: NotificationRow) throws -> Bool {
    let select = statements.retention.messageUses
    select.bind(1, Int64(row.reminder.code))
    select.bind(2, row.key)
    select.bind(3, Int64(row.recipient))
    select.bind(4, row.message)
    return try select.first { _ in true } ?? false
  }
}
