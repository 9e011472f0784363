import CivilTime
import Postgres
import Reminders
import Store

/// Retries and dead letters.
extension PostgresWork {
  private static let select = """
    SELECT \(DeliveryRow.columns), t.sink, t.channel, t.attempts, t.reason, t.deaths, t.withdrawn
    FROM retry t
    JOIN notification n ON n.id = t.notification AND n.shard = t.shard \(DeliveryRow.joins)
    """

  /// A condition for the retries of sink `$1` that are due at `$2` and not in flight.
  private static let isDue = "WHERE t.sink = $1 AND t.due <= $2 AND t.holder IS NULL"

  /// Selects at most $3 due retries of the shards $4, the earliest due first.
  private static let selectDueOfShards = """
    WITH picked AS (
      SELECT k.* FROM unnest($4::int8[]) AS o(shard), LATERAL (
        SELECT t.due, t.notification, t.channel, t.shard FROM retry t
        \(isDue) AND t.shard = o.shard ORDER BY t.due, t.notification, t.channel LIMIT $3
      ) k ORDER BY k.due, k.notification, k.channel LIMIT $3
    )
    \(select) JOIN picked p
      ON p.notification = t.notification AND p.channel = t.channel AND p.shard = t.shard
    """

  func dueRetries(
    of sink: String, now: Instant, limit: Int, batchMax: (_ deaths: Int) -> Int
  ) throws -> [Retry] {
    let due = try rows(
      """
      \(node.isFleet ? Self.selectDueOfShards : Self.select + " " + Self.isDue)
      ORDER BY t.due, t.notification, t.channel LIMIT $3
      """, [.text(sink), .integer(now.milliseconds), .integer(limit)] + activeShards, retry)
    var (batch, countMax): ([Retry], Int) = ([], limit)
    for retry in due {
      countMax = min(countMax, batchMax(retry.deaths))
      guard batch.count < countMax else { break }
      batch.append(retry)
    }
    return batch
  }

  func suspects(deaths: Int) throws -> [Retry] {
    try rows(
      """
      \(Self.select) WHERE t.deaths >= $1 AND t.due IS NOT NULL AND \(isOwn("t.shard"))
      ORDER BY t.due, t.notification, t.channel
      """, [.integer(deaths)], retry)
  }

  func nextRetries(of sinks: [String]) throws -> [String: Instant] {
    var next: [String: Instant] = [:]
    let shards = node.isFleet ? "CROSS JOIN unnest($2::int8[]) AS o(shard)" : ""
    let isInShard = node.isFleet ? "AND shard = o.shard" : ""
    try query(
      """
      SELECT u.sink, min(t.due) FROM unnest($1::text[]) AS u(sink) \(shards), LATERAL (
        SELECT due FROM retry
        WHERE sink = u.sink \(isInShard) AND due IS NOT NULL AND holder IS NULL
        ORDER BY due LIMIT 1
      ) t GROUP BY u.sink
      """, [.texts(sinks)] + activeShards
    ) { next[$0.text(0)] = $0.instant(1) }
    return next
  }

  /// The query parameter with the shards that a node of a fleet owns and is not about to release.
  private var activeShards: [PostgresParameter] {
    node.isFleet ? [.integers(shards.active)] : []
  }

  func shiftRetries(by span: TimeSpan) throws {
    try write(
      "UPDATE retry SET due = due - $1 WHERE due IS NOT NULL AND \(isOwn("shard"))",
      [.integer(span.milliseconds)])
  }

  /// Reads a retry from the columns of `select`.
  private func retry(_ row: PostgresRow) throws -> Retry {
    let first = DeliveryRow.columnCount
    var delivery = try delivery(row)
    if let withdrawn = row.instant(first + 5) { delivery.withdraw(at: withdrawn) }
    return Retry(
      sink: row.text(first), delivery: delivery, attempts: Int(row.integer(first + 2)),
      deaths: Int(row.integer(first + 4)))
  }

  /// Reads the delivery of a retry from the columns of `select`.
  private func delivery(_ row: PostgresRow) throws -> Delivery {
    let number = row.integer(DeliveryRow.columnCount + 1)
    guard let channel = Channel(rawValue: UInt8(truncatingIfNeeded: number)) else {
      throw UnreadableRow("retry", "notification", row.integer(0))
    }
    return try DeliveryRow(row).delivery(on: channel, of: node.instance)
  }

  /// Returns the retries of notifications by number, including dead letters.
  func recordedRetries(of notifications: [Int64]) throws -> [Int64: [RecordedNotification.Retry]] {
    var retries: [Int64: [RecordedNotification.Retry]] = [:]
    guard !notifications.isEmpty else { return [:] }
    try query(
      """
      SELECT notification, sink, channel, attempts, due, reason FROM retry
      WHERE notification = ANY($1) AND withdrawn IS NULL ORDER BY notification, channel
      """, [.integers(notifications)]
    ) { row in
      guard let channel = Channel(rawValue: UInt8(truncatingIfNeeded: row.integer(2))) else {
        throw UnreadableRow("retry", "notification", row.integer(0))
      }
      retries[row.integer(0), default: []].append(
        RecordedNotification.Retry(
          sink: row.text(1), channel: channel, attempts: Int(row.integer(3)), due: row.instant(4),
          reason: row.text(5)))
    }
    return retries
  }

  // MARK: - Dead letters

  func deadLetters(
    of sink: String?, after last: (notification: Int64, channel: Channel)?, limit: Int
  ) throws -> [DeadLetter] {
    let position: [PostgresParameter] = [
      .integer(last?.notification ?? 0), .integer(last?.channel.rawValue ?? 0),
    ]
    return try rows(
      """
      \(Self.select)
      WHERE t.due IS NULL AND (t.notification, t.channel) > ($1, $2)
        AND ($3::text IS NULL OR t.sink = $3) ORDER BY t.notification, t.channel LIMIT $4
      """, position + [.text(sink), .integer(limit)], deadLetter)
  }

  func deadLetter(_ notification: Int64, _ channel: Channel) throws -> DeadLetter? {
    try rows(
      "\(Self.select) WHERE t.due IS NULL AND t.notification = $1 AND t.channel = $2",
      [.integer(notification), .integer(channel.rawValue)], deadLetter
    ).first
  }

  func deadLetterCount(limit: Int) throws -> Int {
    // An index has this order, so the server reads at most `limit` entries of the index.
    try rows(
      """
      SELECT count(*) FROM (
        SELECT 1 FROM retry WHERE due IS NULL ORDER BY notification, channel LIMIT $1) AS counted
      """, [.integer(limit)]
    ) { Int($0.integer(0)) }.first ?? 0
  }

  private func deadLetter(_ row: PostgresRow) throws -> DeadLetter {
    let first = DeliveryRow.columnCount
    return DeadLetter(
      delivery: try delivery(row), sink: row.text(first), attempts: Int(row.integer(first + 2)),
      reason: row.text(first + 3), deaths: Int(row.integer(first + 4)))
  }
}
