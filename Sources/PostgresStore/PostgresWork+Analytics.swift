import CivilTime
import Postgres
import Reminders
import Store

/// Analytics events and usage counts.
extension PostgresWork {
  func append(_ events: [AnalyticsEvent], of recipient: UInt32) throws {
    hasWritten = hasWritten || !events.isEmpty
    for event in events {
      analyticsRows.add(recipient)
      analyticsRows.add(event.time)
      analyticsRows.add(event.name)
      analyticsRows.add(event.parameters)
    }
  }

  /// Writes the analytics events that have been appended so far.
  ///
  /// Other nodes cannot write analytics events until this transaction has committed. Otherwise a
  /// reader's cursor could pass an event that becomes visible later.
  func writeAnalytics() throws {
    guard !analyticsRows.isEmpty else { return }
    let rows = analyticsRows
    analyticsRows = Self.emptyAnalyticsRows
    try write("SELECT pg_advisory_xact_lock(\(Self.analyticsLock))")
    try insert(
      rows, to: Self.analyticsTarget,
      by: "INSERT INTO \(Self.analyticsTarget) SELECT * FROM \(rows.unnested)")
  }

  /// An empty list of analytics events. Its rows have no number, because the database assigns it.
  static let emptyAnalyticsRows = PostgresTable.analytics.rows(from: "recipient")
  private static let analyticsTarget = "analytics_event (recipient, time, name, parameters)"

  /// The number of the lock of all writers of analytics events: "chimanal" in ASCII.
  private static let analyticsLock: Int64 = 0x6368_696d_616e_616c

  func analytics(
    of recipient: UInt32?, after number: Int64, limit: Int
  ) throws -> [AnalyticsRecord] {
    try writeAnalytics()
    let recipientCondition = recipient == nil ? "" : "AND a.recipient = $3"
    let parameters = [number, Int64(limit)] + (recipient.map { [Int64($0)] } ?? [])
    return try rows(
      """
      SELECT a.id, r.name, a.time, a.name, a.parameters
      FROM analytics_event a JOIN recipient r ON r.id = a.recipient
      WHERE a.id > $1 \(recipientCondition) ORDER BY a.id LIMIT $2
      """, parameters.map { .integer($0) }
    ) { row in
      AnalyticsRecord(
        number: row.integer(0), recipient: row.text(1),
        event: AnalyticsEvent(
          time: Instant(milliseconds: row.integer(2)), name: row.text(3),
          parameters: Array(row.bytes(4))))
    }
  }

  func analyticsBacklog(
    of part: AnalyticsPart, after number: Int64, limit: Int
  ) throws -> AnalyticsBacklog {
    try writeAnalytics()
    let condition =
      switch part {
      case .all: ""
      case .outcomes: "AND name = '\(NotificationOutcome.name)'"
      case .others: "AND name <> '\(NotificationOutcome.name)'"
      }
    var backlog = AnalyticsBacklog()
    try query(
      """
      SELECT count(*), min(time), (SELECT max(id) FROM analytics_event)
      FROM (
        SELECT time FROM analytics_event WHERE id > $1 \(condition) ORDER BY id LIMIT $2) b
      """, [.integer(number), .integer(limit)]
    ) { row in
      let (oldest, last) = (row.instant(1), row.isNull(2) ? 0 : row.integer(2))
      backlog = AnalyticsBacklog(count: Int(row.integer(0)), oldest: oldest, last: last)
    }
    return backlog
  }

  func add(_ usage: [UsageKey: Int]) throws {
    var rows = PostgresTable.usage.rows
    // The order is the same on all nodes, to avoid deadlocks.
    let sorted = usage.map { (order: "\($0.key)", $0.key, $0.value) }.sorted { $0.order < $1.order }
    for (_, key, count) in sorted { UsageRow.put(key, count, to: &rows) }
    try write(
      rows, PostgresTable.usage.columnList,
      "INSERT INTO usage SELECT * FROM",
      """
      ON CONFLICT (date, category, channel, hour, measure, reason)
      DO UPDATE SET count = usage.count + excluded.count
      """)
  }

  func usage(from first: LocalDate, through last: LocalDate) throws -> UsageTable {
    var counts: [UsageKey: Int] = [:]
    try query(
      """
      SELECT category, channel, hour, measure, reason, sum(count)::bigint FROM usage
      WHERE date BETWEEN $1 AND $2 GROUP BY category, channel, hour, measure, reason
      """, [.integer(first.daysSinceEpoch), .integer(last.daysSinceEpoch)]
    ) { row in
      // Measures of a later version are ignored.
      guard let measure = UsageMeasure(rawValue: row.text(3)) else { return }
      let key = UsageKey(
        measure, at: LocalHour(date: first, hour: Int(row.integer(2))), category: row.text(0),
        channel: UInt8(exactly: row.integer(1)).flatMap(Channel.init),
        reason: UInt8(exactly: row.integer(4)).flatMap(Gate.init))
      counts[key] = Int(row.integer(5))
    }
    return UsageTable(counts)
  }
}
