import CivilTime
import Postgres
import Reminders
import Store

/// The results of attempts.
extension PostgresWork {
  /// Returns the attempts, reports and withdrawals of notifications, in the order of time.
  func attempts(of notifications: [Int64]) throws -> [Int64: [Attempt]] {
    guard !notifications.isEmpty else { return [:] }
    let storedAttempts = try rows(
      """
      SELECT \(AttemptRow.columns) FROM attempt a WHERE a.notification = ANY($1)
      ORDER BY a.notification, a.at, a.channel, a.number
      """, [.integers(notifications)], AttemptRow.attempt)
    return Dictionary(grouping: storedAttempts, by: \.notification)
  }

  /// Saves the results of first attempts.
  func insertFirstAttempts(_ attempts: [Attempt]) throws { try insert(attempts, number: 1) }

  /// Saves reports (what a sink's service says later about a delivery), each in place of the
  /// delivery's previous report.
  func insertReports(_ reports: [Attempt]) throws {
    try insert(reports, number: AttemptRow.reportNumber)
  }

  /// Saves the steps of withdrawals: the decisions to withdraw deliveries, and the results.
  func insertWithdrawals(_ steps: [Attempt]) throws {
    try insert(steps.map { AttemptRow($0, number: AttemptRow.number(ofWithdrawal: $0)) })
  }

  private func insert(_ attempts: [Attempt], number: Int64) throws {
    try insert(attempts.map { AttemptRow($0, number: number) })
  }

  private func insert(_ attempts: [AttemptRow]) throws {
    var rows = AttemptRow.emptyRows
    for attempt in attempts { attempt.put(to: &rows) }
    try write(
      rows, AttemptRow.insertedColumns,
      """
      INSERT INTO attempt SELECT n.shard, u.* FROM
      """,
      """
      JOIN notification n ON n.id = u.notification
      ON CONFLICT (notification, channel, number, shard)
      DO UPDATE SET \(PostgresTable.attempt.replacement)
      """)
  }

  /// Saves the results of later attempts, and removes the oldest ones beyond the limit. The rows of
  /// each delivery are numbered within this call, and the server adds the last stored number of
  /// that delivery.
  func insertLaterAttempts(_ attempts: [Attempt]) throws {
    guard !attempts.isEmpty else { return }
    var rows = AttemptRow.emptyRows
    var counts: [DeliveryChanges.Key: Int64] = [:]
    for attempt in attempts {
      let key = DeliveryChanges.Key(notification: attempt.notification, channel: attempt.channel)
      counts[key, default: 0] += 1
      AttemptRow(attempt, number: counts[key, default: 1]).put(to: &rows)
    }
    try write(
      rows, AttemptRow.insertedColumns,
      """
      INSERT INTO attempt
      SELECT n.shard, u.notification, u.channel, u.number + greatest(l.last, 0), u.sink, u.at,
        u.verdict, u.status, u.excerpt, u.duration, u.reason FROM
      """,
      """
      JOIN notification n ON n.id = u.notification
      LEFT JOIN LATERAL (
        SELECT max(a.number) AS last FROM attempt a
        WHERE a.notification = u.notification AND a.channel = u.channel AND a.shard = n.shard
      ) l ON true
      """)
    try deleteOldest(of: Array(counts.keys))
  }

  /// Deletes the attempts of each delivery that exceed the maximum number.
  private func deleteOldest(of deliveries: [DeliveryChanges.Key]) throws {
    try write(
      Self.rows(of: deliveries), "notification, channel", "DELETE FROM attempt a USING",
      """
      WHERE a.notification = u.notification AND a.channel = u.channel AND a.number > 0
        AND a.number <= (
        SELECT max(l.number) FROM attempt l
        WHERE l.notification = u.notification AND l.channel = u.channel
      ) - \(DeliveryChanges.attemptsMax)
      """)
  }

  static func rows(of deliveries: [DeliveryChanges.Key]) -> PostgresRows {
    var rows = PostgresRows(.int8, .int2)
    for key in deliveries {
      rows.add(key.notification)
      rows.add(key.channel.rawValue)
    }
    return rows
  }

  /// Returns the channels on which the gates dropped each notification at its last attempt.
  func droppedChannels(of notifications: [Int64]) throws -> [Int64: ChannelSet] {
    var dropped: [Int64: ChannelSet] = [:]
    try query(
      """
      SELECT DISTINCT ON (notification, channel) notification, channel, verdict FROM attempt
      WHERE notification = ANY($1) AND number > 0
      ORDER BY notification, channel, number DESC
      """, [.integers(notifications)]
    ) { row in
      guard let channel = Channel(rawValue: UInt8(truncatingIfNeeded: row.integer(1))),
        row.integer(2) == Int64(Attempt.Verdict.dropped.rawValue)
      else { return }
      dropped[row.integer(0), default: []].insert(ChannelSet(channel))
    }
    return dropped
  }
}
