import CivilTime
import Reminders
import Store

/// Removes what is older than it is kept for, a few rows at a time, the oldest first (rule H7).
extension StoreTransaction {
  /// Up to which notification some have been removed.
  private static let prunedNote = "pruned notifications"

  /// - Parameters:
  ///   - end: what is of before is old.
  ///   - place: where the step before has ended; 0 to begin.
  ///   - limit: how many rows are looked at.
  ///   - keeps: whether an occurrence of a recipient must be known still, as it must not be said
  ///     again.
  func prune(
    _ part: KeptPart, before end: Instant, after place: Int64, limit: Int,
    keeping keeps: (StoredRecipient, Symbol, Int64) -> Bool
  ) throws -> Pruned {
    switch part {
    case .attempts: try pruneAttempts(before: end, after: place, limit: limit)
    case .events: try pruneEvents(before: end, after: place, limit: limit)
    case .notifications:
      try pruneNotifications(before: end, after: place, limit: limit, keeping: keeps)
    }
  }

  func prunedThrough() throws -> Int64 {
    try note(Self.prunedNote).flatMap { Int64($0) } ?? 0
  }

  // MARK: - Attempts

  /// The last word on a delivery that was not taken stays as long as its notification: it is what
  /// tells that it failed.
  private func pruneAttempts(
    before end: Instant, after place: Int64, limit: Int
  ) throws -> Pruned {
    var pruned = Pruned()
    for notification in try numbers(statements.retention.attempted, after: place, limit) {
      guard let old = try oldAttempts(of: notification, before: end) else {
        return Pruned(removed: pruned.removed)
      }
      pruned.place = notification
      for deliveries in old {
        let delete = statements.retention.deleteAttempts
        delete.bind(1, notification)
        delete.bind(2, Int64(deliveries.channel.rawValue))
        delete.bind(3, deliveries.isDelivered ? 1 : 0)
        try delete.run()
        pruned.removed += delete.changes
      }
    }
    return pruned
  }

  /// The attempts of a notification on a channel, all of which are old.
  struct OldAttempts {
    let channel: Channel
    let attempts: [Attempt]

    var isDelivered: Bool { attempts.last?.verdict == .delivered }
    /// Those that are removed.
    var superfluous: ArraySlice<Attempt> { isDelivered ? attempts[...] : attempts.dropLast() }
  }

  /// Nil when none of the notification is old, and so none behind it either.
  func oldAttempts(of notification: Int64, before end: Instant) throws -> [OldAttempts]? {
    let attempts = try attempts(of: notification)
    guard let first = attempts.first, first.at < end else { return nil }
    return Dictionary(grouping: attempts, by: \.channel)
      .filter { $0.value.allSatisfy { $0.at < end } }
      .map { OldAttempts(channel: $0.key, attempts: $0.value) }
  }

  func numbers(
    _ select: HotStatement, after place: Int64, _ limit: Int
  ) throws -> [Int64] {
    var numbers: [Int64] = []
    select.bind(1, place)
    select.bind(2, Int64(limit))
    try select.rows { numbers.append($0.integer(0)) }
    return numbers
  }

  // MARK: - Events

  struct OldEvent {
    var number: Int64
    var recipient: Int64
    var received: Instant
    var identity: EventIdentity
    var isRequest: Bool
    var isErased: Bool
  }

  /// With an event its identity is forgotten: who repeats it later brings something new. What is
  /// left of the events of who was erased stays, and so does a request that waits, for it can be
  /// taken back by its identity.
  private func pruneEvents(before end: Instant, after place: Int64, limit: Int) throws -> Pruned {
    var pruned = Pruned()
    defer { statements.recent.isNeeded = statements.recent.isNeeded && pruned.place != nil }
    for event in try oldEvents(after: place, limit) {
      guard event.isErased || event.received < end else {
        pruned.place = nil
        break
      }
      // What is not in the table of identities yet would be written there later.
      guard event.number <= statements.recent.completeThrough else {
        statements.recent.isNeeded = true
        pruned.place = max(place, event.number - 1)
        break
      }
      pruned.place = event.number
      guard try isSuperfluous(event) else { continue }
      try forgetIdentity(of: event)
      statements.retention.deleteEvent.bind(1, event.number)
      try statements.retention.deleteEvent.run()
      pruned.removed += 1
    }
    if pruned.removed > 0 { try saveNote("next event", "\(statements.nextEvent)") }
    return pruned
  }

  func oldEvents(after place: Int64, _ limit: Int) throws -> [OldEvent] {
    var events: [OldEvent] = []
    let select = statements.retention.events
    select.bind(1, place)
    select.bind(2, Int64(limit))
    try select.rows { columns in
      let row = try EventRow(columns)
      events.append(
        OldEvent(
          number: row.number, recipient: row.recipient, received: row.received,
          identity: EventIdentity(source: row.source, identifier: row.identifier),
          isRequest: row.type == "notification.requested", isErased: row.isErased))
    }
    return events
  }

  /// Whether it means nothing any more, once it is old.
  func isSuperfluous(_ event: OldEvent) throws -> Bool {
    try !event.isErased && (!event.isRequest || !isWaiting(event))
  }

  private func isWaiting(_ event: OldEvent) throws -> Bool {
    let stored = try recipient(row: UInt32(truncatingIfNeeded: event.recipient))
    return stored?.recipient.facts.request(event.number) != nil
  }

  /// An identity whose slot others may have passed on the way to theirs stays.
  private func forgetIdentity(of event: OldEvent) throws {
    var slot = slot(
      source: event.identity.source.text, identifier: event.identity.identifier.text)
    while let row = try row(at: slot), row != event.number { slot &+= 1 }
    guard try row(at: slot &+ 1) == nil else { return }
    statements.retention.deleteIdentity.bind(1, slot)
    statements.retention.deleteIdentity.bind(2, event.number)
    try statements.retention.deleteIdentity.run()
  }

  // MARK: - Notifications

  private func pruneNotifications(
    before end: Instant, after place: Int64, limit: Int,
    keeping keeps: (StoredRecipient, Symbol, Int64) -> Bool
  ) throws -> Pruned {
    var pruned = Pruned()
    // One by one: what stands behind another is changed when that goes.
    for number in try numbers(statements.retention.notifications, after: place, limit) {
      guard let row = try row(of: number) else { continue }
      guard row.at < end else {
        pruned.place = nil
        break
      }
      pruned.place = row.number
      guard var stored = try recipient(row: row.recipient) else { continue }
      guard try !isNeeded(row, of: stored, keeps, stays: isRecorded) else { continue }
      try remove(row, of: &stored)
      try save([stored], [Schedule(due: stored.due, pending: stored.pending)])
      try saveNote(Self.prunedNote, "\(row.number)")
      pruned.removed += 1
    }
    if pruned.removed > 0 {
      try saveNote("next notification", "\(statements.nextNotification)")
      try saveNote("next message", "\(statements.nextMessage)")
    }
    return pruned
  }

  /// What is unread, as long as that is not too much; what must not be said again; what is on its
  /// way; and what belongs to something that stays.
  func isNeeded(
    _ row: NotificationRow, of stored: StoredRecipient,
    _ keeps: (StoredRecipient, Symbol, Int64) -> Bool, stays: (Int64) throws -> Bool
  ) throws -> Bool {
    if row.link.leader != 0, try stays(row.link.leader) { return true }
    if row.isDelivered, try isOnItsWay(row) { return true }
    if row.isDelivered, keeps(stored, row.reminder, row.key) { return true }
    guard stored.counts.unread <= Retention.unreadKept else { return false }
    return try inboxRow(row.number, of: Int64(stored.row)).map { !$0.isRead } ?? false
  }

  /// Whether a sink has not taken it yet and will be asked (rule D1).
  private func isOnItsWay(_ row: NotificationRow) throws -> Bool {
    let select = statements.retention.awaited
    select.bind(1, row.number)
    select.bind(2, Int64(row.channels.rawValue))
    return try select.first { _ in true } ?? false
  }

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
    // Behind what stays the chain goes on.
    if row.link.previous != 0, try isRecorded(row.link.previous) {
      try unchain(row.number, to: row.link.previous, of: &stored)
    }
  }

  /// Whether another way out of the same occurrence says the very same.
  private func isShared(_ row: NotificationRow) throws -> Bool {
    let select = statements.retention.twins
    select.bind(1, Int64(row.reminder.code))
    select.bind(2, row.key)
    select.bind(3, Int64(row.recipient))
    select.bind(4, row.message)
    return try select.first { _ in true } ?? false
  }
}
