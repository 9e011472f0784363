import CivilTime
import Postgres
import Reminders
import Store

/// Removes data that is older than its retention, some rows at a time, the oldest first (rule H7).
extension PostgresWork {
  /// The key of the note with the highest number among the notifications that were removed by age.
  private static let prunedNote = "pruned notifications"

  func prunedThrough() throws -> Int64 {
    try note(Self.prunedNote).flatMap { Int64($0) } ?? 0
  }

  func prune(
    _ part: RetentionPart, by age: Age, after cursor: Int64, limit: Int,
    keeping keeps: (StoredRecipient, Symbol, Int64) -> Bool, folding fold: EventFolding
  ) throws -> Pruned {
    if part == .analytics { return try pruneAnalytics(by: age, after: cursor, limit) }
    if part == .usage { return try pruneUsage(by: age, after: cursor) }
    let cursor = PruningCursor(cursor, among: node.isFleet ? Array(shards.epochs.keys) : [])
    guard cursor.shard != nil || !node.isFleet else { return Pruned() }
    if let shard = cursor.shard { writtenShards.insert(shard) }
    switch part {
    case .attempts:
      let old = try oldAttempts(by: age, after: cursor, limit)
      try delete(old.attempts)
      return Pruned(removed: old.attempts.count, cursor: cursor.next(old.cursor))
    case .events:
      let old = try oldEvents(by: age, after: cursor, limit)
      let events = old.events.map { event in
        RemovedEvent(
          row: UInt32(truncatingIfNeeded: event.recipient), event: event.stored,
          previous: event.previous)
      }
      try self.fold(events, before: age.end, by: fold)
      try write("DELETE FROM event WHERE id = ANY($1)", [.integers(old.events.map(\.number))])
      return Pruned(removed: old.events.count, cursor: cursor.next(old.cursor))
    case .notifications:
      let old = try oldNotifications(by: age, after: cursor, limit, keeps)
      try apply(old.pruning)
      return Pruned(removed: old.pruning.removable.count, cursor: cursor.next(old.cursor))
    case .analytics, .usage: return Pruned()
    }
  }

  /// Removes the usage counts of one date, which belong to the store and not to a shard. The
  /// returned cursor is the date, in days since 1970-01-01.
  private func pruneUsage(by age: Age, after cursor: Int64) throws -> Pruned {
    guard let old = try oldUsage(by: age, after: cursor) else { return Pruned() }
    try write("DELETE FROM usage WHERE date = $1", [.integer(old.date)])
    return Pruned(removed: old.count, cursor: old.date)
  }

  /// Returns the next date with usage counts, and its number of rows; nil if that date is not old.
  private func oldUsage(by age: Age, after cursor: Int64) throws -> (date: Int64, count: Int)? {
    let next = try rows(
      "SELECT date, count(*) FROM usage WHERE date > $1 GROUP BY date ORDER BY date LIMIT 1",
      [.integer(cursor)]
    ) { (date: $0.integer(0), count: Int($0.integer(1))) }
    return next.first.flatMap { age.isOld(LocalDate(daysSinceEpoch: Int($0.date))) ? $0 : nil }
  }

  /// Removes old analytics events, which belong to no shard.
  private func pruneAnalytics(by age: Age, after cursor: Int64, _ limit: Int) throws -> Pruned {
    let old = try oldAnalytics(by: age, after: cursor, limit)
    try write(
      "DELETE FROM analytics_event WHERE id = ANY($1)", [.integers(old.removable.map(\.number))])
    return Pruned(removed: old.removable.count, cursor: old.cursor)
  }

  func prunable(
    _ part: RetentionPart, by age: Age, after cursor: Int64, limit: Int,
    keeping keeps: (StoredRecipient, Symbol, Int64) -> Bool
  ) throws -> Prunable {
    var (found, times) = (Prunable(), [Instant]())
    guard part != .analytics else {
      let old = try oldAnalytics(by: age, after: cursor, limit)
      found.cursor = old.cursor
      for event in old.removable { found.add(event.time) }
      return found
    }
    if part == .usage {
      return try oldUsage(by: age, after: cursor).map { Prunable(usage: $0.count, on: $0.date) }
        ?? found
    }
    let all = node.isFleet ? (0..<node.hash.shards).map { Int64($0) } : []
    let cursor = PruningCursor(cursor, among: all)
    switch part {
    case .attempts:
      let old = try oldAttempts(by: age, after: cursor, limit)
      (found.cursor, times) = (old.cursor, old.attempts.map(\.at))
    case .events:
      let old = try oldEvents(by: age, after: cursor, limit)
      (found.cursor, times) = (old.cursor, old.events.map(\.received))
    case .notifications:
      let old = try oldNotifications(by: age, after: cursor, limit, keeps)
      (found.cursor, times) = (old.cursor, old.pruning.removable.map(\.at))
    case .analytics, .usage: break
    }
    found.cursor = cursor.next(found.cursor)
    for time in times { found.add(time) }
    return found
  }

  /// Selects the rows that a step of pruning examines.
  ///
  /// - Parameters:
  ///   - time: the time of a row; nil for a row without a time.
  ///   - recipient: the recipient of a row, because the step selects old rows of few recipients;
  ///     nil if that does not matter.
  /// - Returns: the rows of the step, and the number of the row after which the next step
  ///   continues. The number is nil if no later row is old enough.
  private func step<Row>(
    over rows: [Row], _ number: (Row) -> Int64, by age: Age, at time: (Row) -> Instant?,
    of recipient: (Row) -> Int64? = { _ in nil }
  ) -> (rows: ArraySlice<Row>, cursor: Int64?) {
    let count = age.examinedCount(of: rows.map(time))
    let fewCount = PruningStep.examinedCount(
      of: rows.prefix(count).map { row in
        time(row).map(age.isOld) ?? false ? recipient(row) : nil
      })
    let examined = rows.prefix(fewCount)
    let mayContinue = fewCount < count || count == rows.count
    return (examined, mayContinue ? examined.last.map(number) : nil)
  }

  private func oldAnalytics(
    by age: Age, after cursor: Int64, _ limit: Int
  ) throws -> (removable: [(number: Int64, time: Instant)], cursor: Int64?) {
    try writeAnalytics()
    let events = try rows(
      "SELECT id, time FROM analytics_event WHERE id > $1 ORDER BY id LIMIT $2",
      [.integer(cursor), .integer(limit)]
    ) { (number: $0.integer(0), time: Instant(milliseconds: $0.integer(1))) }
    let cursor = try analyticsCursors().values.min()
    return AnalyticsPruning(by: age, answeredThrough: cursor).step(over: events)
  }

  // MARK: - Attempts

  /// The columns of `attempt` that decide whether an attempt is removed.
  private struct OldAttempt {
    let notification: Int64
    /// The raw value of the channel.
    let channel: Int64
    /// The number of the attempt within its delivery, from 1.
    let number: Int64
    /// When the attempt ended.
    let at: Instant
    /// The raw value of the verdict.
    let verdict: Int64
  }

  /// Finds old attempts. The last attempt of a failed delivery records the failure, and a report
  /// records the delivery's state. Both stay as long as their notification.
  private func oldAttempts(
    by age: Age, after cursor: PruningCursor, _ limit: Int
  ) throws -> (attempts: [OldAttempt], cursor: Int64?) {
    let attempted = try rows(
      """
      SELECT notification, min(at) FROM attempt
      WHERE notification > $1 AND number > 0 AND \(cursor.shardCondition("shard", 3))
      GROUP BY notification ORDER BY notification LIMIT $2
      """, cursor.parameters(limit)
    ) { ($0.integer(0), $0.instant(1)) }
    let step = step(over: attempted, \.0, by: age, at: \.1)
    let all = try rows(
      """
      SELECT notification, channel, number, at, verdict FROM attempt
      WHERE notification = ANY($1) AND number > 0 ORDER BY notification, channel, number
      """, [.integers(step.rows.map(\.0))]
    ) { row in
      OldAttempt(
        notification: row.integer(0), channel: row.integer(1), number: row.integer(2),
        at: Instant(milliseconds: row.integer(3)), verdict: row.integer(4))
    }
    let deliveries = Dictionary(grouping: all) { [$0.notification, $0.channel] }.values
    let old = deliveries.filter { $0.allSatisfy { age.isOld($0.at) } }
    let delivered = Int64(Attempt.Verdict.delivered.rawValue)
    return (old.flatMap { $0.last?.verdict == delivered ? $0 : $0.dropLast() }, step.cursor)
  }

  private func delete(_ attempts: [OldAttempt]) throws {
    var rows = PostgresRows(.int8, .int2, .int8)
    for attempt in attempts {
      rows.add(attempt.notification)
      rows.add(attempt.channel)
      rows.add(attempt.number)
    }
    try write(
      rows, "notification, channel, number", "DELETE FROM attempt a USING",
      """
      WHERE a.notification = u.notification AND a.channel = u.channel AND a.number = u.number
      """)
  }

  // MARK: - Events

  /// Finds the events to remove. Their identities are removed too, so a later repetition counts as
  /// a new event. The rows of erased events stay. The event of a waiting request stays too, because
  /// an app can withdraw the request by the event's identity.
  private func oldEvents(
    by age: Age, after cursor: PruningCursor, _ limit: Int
  ) throws -> (events: [EventRow], cursor: Int64?) {
    let found = try rows(
      """
      SELECT \(EventRow.columns) FROM event e
      WHERE e.id > $1 AND \(cursor.shardCondition("e.shard", 3)) ORDER BY e.id LIMIT $2
      """, cursor.parameters(limit)
    ) { EventRow($0) }
    let step = step(
      over: found, \.number, by: age, at: { $0.isErased ? nil : $0.received },
      of: { $0.recipient })
    let old = step.rows.filter { !$0.isErased && age.isOld($0.received) }
    let recipients = try recipientsByRow(
      old.filter(\.isRequest).map { UInt32(truncatingIfNeeded: $0.recipient) })
    let superfluous = old.filter { event in
      let stored = recipients[UInt32(truncatingIfNeeded: event.recipient)]
      return !event.isRequest || stored?.recipient.facts.request(event.number) == nil
    }
    return (superfluous, step.cursor)
  }

  /// Reads the recipients with these row numbers.
  private func recipientsByRow(_ rows: [UInt32]) throws -> [UInt32: StoredRecipient] {
    let found = try recipients(rows: Set(rows).sorted()[...])
    return Dictionary(found.map { ($0.row, $0) }) { first, _ in first }
  }

  // MARK: - Notifications

  /// Decides which notifications of the next step to remove.
  ///
  /// - Returns: the pruning of the step, and the number of the notification after which the next
  ///   step continues. The number is nil if no later notification is old enough.
  private func oldNotifications(
    by age: Age, after cursor: PruningCursor, _ limit: Int,
    _ keeps: (StoredRecipient, Symbol, Int64) -> Bool
  ) throws -> (pruning: NotificationPruning, cursor: Int64?) {
    let found = try rows(
      """
      SELECT \(NotificationRow.columns) FROM notification n
      WHERE n.id > $1 AND \(cursor.shardCondition("n.shard", 3)) ORDER BY n.id LIMIT $2
      """, cursor.parameters(limit), NotificationRow.init)
    let step = step(
      over: found, \.number, by: age, at: { $0.at }, of: { Int64($0.recipient) })
    let input = try pruningInput(on: Array(step.rows))
    return (NotificationPruning(input, by: age, keeping: keeps), step.cursor)
  }

  /// Reads the data that the decision about these notifications needs.
  private func pruningInput(on rows: [NotificationRow]) throws -> NotificationPruning.Input {
    var input = NotificationPruning.Input()
    guard !rows.isEmpty else { return input }
    input.rows = rows
    input.recipients = try recipientsByRow(rows.map(\.recipient))
    input.items = try items(Set(rows.map { InboxItemKey(row: $0.recipient, item: $0.number) }))
    input.retried = Set(
      try self.rows(
        "SELECT notification FROM retry WHERE notification = ANY($1) AND due IS NOT NULL",
        [.integers(rows.map(\.number))]
      ) { $0.integer(0) })
    input.lanes = Array(try lanes().values)
    input.existing = try recorded(among: rows.flatMap { [$0.link.previous, $0.link.leader] })
    return input
  }

  /// Removes notifications with their inbox items, and saves the counts of their recipients.
  private func apply(_ pruning: NotificationPruning) throws {
    guard let last = pruning.removable.last else { return }
    let removable = Dictionary(grouping: pruning.removable, by: \.recipient)
    let relinked = Set(pruning.unchained.map(\.recipient))
    var recipients = pruning.recipients.values.filter { removable[$0.row] != nil }
    recipients.sort { $0.row < $1.row }
    for index in recipients.indices where relinked.contains(recipients[index].row) {
      try unchain(removable[recipients[index].row] ?? [], of: &recipients[index])
    }
    try remove(pruning.removable)
    try deleteItems(pruning.removable.map { InboxItemKey(row: $0.recipient, item: $0.number) })
    try save(recipients, recipients.map { Schedule(due: $0.due, pending: $0.pending) })
    // Another node may have removed notifications with higher numbers.
    try write(
      """
      INSERT INTO meta VALUES ($1, $2) ON CONFLICT (key)
      DO UPDATE SET value = greatest(meta.value::int8, excluded.value::int8)::text
      """, [.text(Self.prunedNote), .text("\(last.number)")])
  }
}

extension EventRow {
  fileprivate var isRequest: Bool { type == "notification.requested" }
}
