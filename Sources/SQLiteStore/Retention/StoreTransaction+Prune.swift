import CivilTime
import Reminders
import Store

/// Removes what is older than it is kept for, a few rows at a time, the oldest first (rule H7).
extension StoreTransaction {
  /// Up to which notification some have been removed.
  private static let prunedNote = "pruned notifications"

  /// - Parameters:
  ///   - age: what is old.
  ///   - place: where the step before has ended; 0 to begin.
  ///   - limit: how many rows are looked at.
  ///   - keeps: whether an occurrence of a recipient must be known still, as it must not be said
  ///     again.
  func prune(
    _ part: KeptPart, by age: Age, after place: Int64, limit: Int,
    keeping keeps: (StoredRecipient, Symbol, Int64) -> Bool
  ) throws -> Pruned {
    switch part {
    case .attempts: try pruneAttempts(by: age, after: place, limit: limit)
    case .events: try pruneEvents(by: age, after: place, limit: limit)
    case .notifications:
      try pruneNotifications(by: age, after: place, limit: limit, keeping: keeps)
    case .analytics: try pruneAnalytics(by: age, after: place, limit: limit)
    case .usage: try pruneUsage(by: age, after: place)
    }
  }

  /// One date in each step, whose number is the place.
  private func pruneUsage(by age: Age, after place: Int64) throws -> Pruned {
    guard let old = try oldUsage(by: age, after: place) else { return Pruned() }
    let delete = statements.analytics.deleteUsage
    delete.bind(1, old.date)
    try delete.run()
    return Pruned(removed: delete.changes, place: old.date)
  }

  /// The next date of usage counts, with its number of rows, if it is old.
  func oldUsage(by age: Age, after place: Int64) throws -> (date: Int64, count: Int)? {
    let select = statements.analytics.nextUsage
    select.bind(1, place)
    var found: (date: Int64, count: Int)?
    try select.rows { found = ($0.integer(0), Int($0.integer(1))) }
    guard let found, age.isOld(LocalDate(daysSinceEpoch: Int(found.date))) else { return nil }
    return found
  }

  func prunedThrough() throws -> Int64 {
    try note(Self.prunedNote).flatMap { Int64($0) } ?? 0
  }

  // MARK: - Attempts

  /// The last word on a delivery that was not taken stays as long as its notification: it is what
  /// tells that it failed.
  private func pruneAttempts(by age: Age, after place: Int64, limit: Int) throws -> Pruned {
    let (reached, isWhole) = try attempted(by: age, after: place, limit)
    var pruned = Pruned(place: isWhole ? reached.last : nil)
    for notification in reached {
      for deliveries in try oldAttempts(of: notification, by: age) {
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

  func oldAttempts(of notification: Int64, by age: Age) throws -> [OldAttempts] {
    try Dictionary(grouping: attempts(of: notification), by: \.channel)
      .filter { $0.value.allSatisfy { age.isOld($0.at) } }
      .map { OldAttempts(channel: $0.key, attempts: $0.value) }
  }

  // MARK: - Events

  /// With an event its identity is forgotten: who repeats it later brings something new. What is
  /// left of the events of who was erased stays, and so does a request that waits, for it can be
  /// taken back by its identity.
  private func pruneEvents(by age: Age, after place: Int64, limit: Int) throws -> Pruned {
    let (reached, isWhole) = try events(by: age, after: place, limit)
    var pruned = Pruned(place: isWhole ? reached.last?.number : nil)
    defer { statements.recent.isNeeded = statements.recent.isNeeded && pruned.place != nil }
    for event in reached {
      // What is not in the table of identities yet would be written there later.
      guard event.number <= statements.recent.completeThrough else {
        statements.recent.isNeeded = true
        pruned.place = max(place, event.number - 1)
        break
      }
      guard try isSuperfluous(event, by: age) else { continue }
      try forgetIdentity(of: event)
      statements.retention.deleteEvent.bind(1, event.number)
      try statements.retention.deleteEvent.run()
      pruned.removed += 1
    }
    if pruned.removed > 0 { try saveNote("next event", "\(statements.nextEvent)") }
    return pruned
  }

  /// Whether it is old and means nothing any more.
  func isSuperfluous(_ event: OldEvent, by age: Age) throws -> Bool {
    try !event.isErased && age.isOld(event.received) && (!event.isRequest || !isWaiting(event))
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

  // MARK: - Analytics events

  private func pruneAnalytics(by age: Age, after place: Int64, limit: Int) throws -> Pruned {
    let step = try oldAnalytics(by: age, after: place, limit)
    for event in step.gone {
      statements.retention.deleteAnalytics.bind(1, event.number)
      try statements.retention.deleteAnalytics.run()
    }
    return Pruned(removed: step.gone.count, place: step.place)
  }

  // MARK: - Notifications

  private func pruneNotifications(
    by age: Age, after place: Int64, limit: Int,
    keeping keeps: (StoredRecipient, Symbol, Int64) -> Bool
  ) throws -> Pruned {
    let (reached, isWhole) = try notifications(by: age, after: place, limit)
    var pruned = Pruned(place: isWhole ? reached.last : nil)
    // One by one: what stands behind another is changed when that goes.
    for number in reached {
      guard let row = try row(of: number), age.isOld(row.at) else { continue }
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
