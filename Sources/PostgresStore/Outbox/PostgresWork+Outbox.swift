import CivilTime
import Postgres
import Reminders
import Store

/// Changes to many deliveries at a time.
extension PostgresWork {
  func save(_ changes: DeliveryChanges) throws {
    if !changes.isEmpty { try guardNotifications(changes.notifications) }
    try insertFirstAttempts(changes.firstAttempts)
    try insertLaterAttempts(changes.laterAttempts)
    try insertReports(changes.reports)
    try insertWithdrawals(changes.withdrawals)
    try applyVerdicts(changes.verdicts)
    try addFallbacks(changes.fallbacks)
    try write(
      Self.rows(of: changes.ended), "notification, channel", "DELETE FROM retry t USING",
      Self.whereDeliveryMatches)
    try saveRetries(changes.waiting)
    try assign(changes.dispatched, to: node.incarnation)
    try assign(changes.requeued, to: nil)
    try postpone(changes.postponed)
  }

  private static let whereDeliveryMatches =
    "WHERE t.notification = u.notification AND t.channel = u.channel"

  /// Writes, in order, the verdicts of gates that were evaluated again before a retry, on
  /// notifications that no sink has accepted.
  private func applyVerdicts(_ verdicts: [DeliveryChanges.Verdict]) throws {
    guard !verdicts.isEmpty else { return }
    var rows = try rows(of: Set(verdicts.map(\.notification)))
    var (changed, noLongerRecent) = (Set<Int64>(), PostgresRows(.int8, .int8))
    for verdict in verdicts {
      guard var row = rows[verdict.notification] else { continue }
      if verdict.outcome != .delivered, row.isRecent {
        noLongerRecent.add(row.recipient)
        noLongerRecent.add(row.number)
      }
      row.apply(verdict)
      changed.insert(row.number)
      rows[row.number] = row
    }
    try lowerRecentCounts(noLongerRecent)
    var updates = PostgresRows(.int8, .int2, .int8)
    for row in changed.compactMap({ rows[$0] }) {
      updates.add(row.number)
      updates.add(row.outcome.rawValue)
      updates.add(Int64(bitPattern: row.trace.rawValue))
    }
    try write(
      updates, "id, outcome, trace",
      "UPDATE notification n SET outcome = u.outcome, trace = u.trace FROM", "WHERE n.id = u.id")
  }

  /// Lowers the recipients' counts of recent notifications.
  ///
  /// - Parameter rows: pairs of a recipient and a notification that counted and was not sent.
  private func lowerRecentCounts(_ rows: PostgresRows) throws {
    try write(
      rows, "recipient, number",
      """
      UPDATE schedule s SET recent = greatest(0, s.recent - t.count) FROM (
        SELECT c.recipient, c.shard, count(*) AS count FROM
      """,
      """
        JOIN schedule c ON c.recipient = u.recipient WHERE c.cleared < u.number
        GROUP BY c.recipient, c.shard
      ) t WHERE s.recipient = t.recipient AND s.shard = t.shard
      """)
  }

  private func addFallbacks(_ fallbacks: [(notification: Int64, channel: Channel)]) throws {
    var channels: [Int64: ChannelSet] = [:]
    for (number, channel) in fallbacks {
      channels[number, default: []].insert(ChannelSet(channel))
    }
    var rows = PostgresRows(.int8, .int2)
    for (number, fallbackChannels) in channels {
      rows.add(number)
      rows.add(fallbackChannels.rawValue)
    }
    try write(
      rows, "id, channels", "UPDATE notification n SET fallback = n.fallback | u.channels FROM",
      "WHERE n.id = u.id")
  }

  // MARK: - Retries

  private func saveRetries(_ waiting: [DeliveryChanges.Waiting]) throws {
    // If a delivery has several entries, the last applies.
    let latest = Dictionary(
      waiting.map { (DeliveryChanges.Key($0.retry.delivery), $0) }, uniquingKeysWith: { $1 })
    var rows = PostgresRows(.int8, .int2, .text, .int8, .int8, .text, .int8, .int8)
    for (key, entry) in latest {
      rows.add(key.notification)
      rows.add(key.channel.rawValue)
      rows.add(entry.retry.sink)
      rows.add(entry.retry.attempts)
      rows.add(entry.due)
      rows.add(entry.reason)
      rows.add(entry.retry.deaths)
      rows.add(entry.retry.delivery.withdrawnAt)
    }
    try write(
      rows, "notification, channel, sink, attempts, due, reason, deaths, withdrawn",
      """
      INSERT INTO retry
      SELECT n.shard, u.notification, u.channel, u.sink, u.attempts, u.due, u.reason, NULL,
        u.deaths, u.withdrawn
      FROM
      """,
      """
      JOIN notification n ON n.id = u.notification
      ON CONFLICT (notification, channel, shard) DO UPDATE SET sink = excluded.sink,
        attempts = excluded.attempts, due = excluded.due, reason = excluded.reason, holder = NULL,
        deaths = excluded.deaths, withdrawn = excluded.withdrawn
      """)
  }

  /// Marks retries as in flight.
  ///
  /// - Parameter holder: the node that dispatches them; nil marks them as waiting.
  private func assign(_ deliveries: [DeliveryChanges.Key], to holder: Int64?) throws {
    let holder = holder.map(String.init) ?? "NULL"
    try write(
      Self.rows(of: deliveries), "notification, channel",
      "UPDATE retry t SET holder = \(holder) FROM", Self.whereDeliveryMatches)
  }

  private func postpone(_ postponed: [(key: DeliveryChanges.Key, until: Instant)]) throws {
    let latest = Dictionary(postponed.map { ($0.key, $0.until) }, uniquingKeysWith: max)
    var rows = PostgresRows(.int8, .int2, .int8)
    for (key, until) in latest {
      rows.add(key.notification)
      rows.add(key.channel.rawValue)
      rows.add(until)
    }
    try write(
      rows, "notification, channel, until",
      "UPDATE retry t SET due = greatest(t.due, u.until) FROM",
      Self.whereDeliveryMatches + " AND t.due IS NOT NULL")
  }

  // MARK: - Queries

  func recorded(among notifications: [Int64]) throws -> Set<Int64> {
    guard !notifications.isEmpty else { return [] }
    return Set(
      try rows("SELECT id FROM notification WHERE id = ANY($1)", [.integers(notifications)]) {
        $0.integer(0)
      })
  }

  func replaced(among deliveries: [Delivery]) throws -> Set<Int64> {
    guard !deliveries.isEmpty else { return [] }
    let sql = """
      SELECT u.id FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[])
        AS u (id, reminder, occurrence, recipient, round)
      WHERE EXISTS (
        SELECT 1 FROM notification n WHERE n.reminder = u.reminder
          AND n.occurrence = u.occurrence AND n.recipient = u.recipient AND n.round > u.round)
      """
    let columns = [
      deliveries.map(\.notification), deliveries.map { Int64($0.occurrenceName.code) },
      deliveries.map(\.key), deliveries.map { Int64($0.row) }, deliveries.map(\.round),
    ]
    return Set(try rows(sql, columns.map { .integers($0) }) { $0.integer(0) })
  }

  func channelProgress(of notifications: [Int64]) throws -> [Int64: ChannelProgress] {
    let rows = try rows(of: Set(notifications))
    guard !rows.isEmpty else { return [:] }
    let dropped = try droppedChannels(of: Array(rows.keys))
    return rows.mapValues { row in
      ChannelProgress(channels: row.allChannels, dropped: dropped[row.number] ?? [])
    }
  }
}

extension NotificationRow {
  /// Applies a verdict. The new trace (the findings of all gates) includes the findings of the
  /// previous one (rule V8).
  fileprivate mutating func apply(_ verdict: DeliveryChanges.Verdict) {
    outcome = verdict.outcome
    var combined = verdict.trace
    combined.add(trace)
    trace = combined
  }
}

extension DeliveryChanges {
  /// The notifications whose deliveries are changed.
  fileprivate var notifications: Set<Int64> {
    Set(
      (firstAttempts + laterAttempts + reports + withdrawals).map(\.notification)
        + verdicts.map(\.notification) + fallbacks.map(\.notification)
        + waiting.map(\.retry.delivery.notification)
        + (ended + dispatched + requeued + postponed.map(\.key)).map(\.notification))
  }
}
