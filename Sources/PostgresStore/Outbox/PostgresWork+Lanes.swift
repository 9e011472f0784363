import CivilTime
import Postgres
import Reminders
import Store

extension PostgresWork {
  private static let laneColumns = PostgresTable.lane.list(of: "l", from: "sink")

  func lanes() throws -> [String: StoredLane] {
    var lanes: [String: StoredLane] = [:]
    try query(
      "SELECT \(Self.laneColumns) FROM lane l WHERE l.node = $1", [.integer(node.lanes)]
    ) { row in
      var reader = ColumnReader(row)
      let lane = LaneRow(from: &reader)
      lanes[lane.sink] = lane.lane
    }
    return lanes
  }

  /// Returns a function that maps a notification to the lanes that contain its deliveries. They are
  /// the lanes of its shard's keeper: the node whose lanes track the shard's deliveries.
  func lanes(of notifications: [Int64]) throws -> (Int64) -> [String: StoredLane] {
    let nodeLanes = try lanes()
    guard node.isFleet else { return { _ in nodeLanes } }
    let passedLanes = nodeLanes.mapValues { lane in
      StoredLane(cursor: .max, channels: lane.channels, lastDispatched: .max)
    }
    var lanes: [Int64: [String: StoredLane]] = [:]
    try query(
      """
      SELECT n.id, \(Self.laneColumns) FROM notification n
      JOIN shard s ON s.shard = n.shard AND n.id >= s.start JOIN lane l ON l.node = s.keeper
      WHERE n.id = ANY($1)
      """, [.integers(notifications)]
    ) { row in
      var reader = ColumnReader(row, from: 1)
      let lane = LaneRow(from: &reader)
      lanes[row.integer(0), default: [:]][lane.sink] = lane.lane
    }
    // If no lane contains a notification, each of its deliveries has been answered or is a retry.
    return { lanes[$0] ?? passedLanes }
  }

  func save(lanes: [String: StoredLane]) throws {
    var rows = PostgresTable.lane.rows
    for (sink, lane) in lanes {
      rows.add(node.lanes)
      LaneRow(sink, lane).put(to: &rows)
    }
    try write(
      rows, PostgresTable.lane.columnList, "INSERT INTO lane SELECT * FROM",
      "ON CONFLICT (node, sink) DO UPDATE SET \(PostgresTable.lane.replacement)")
  }

  func deleteLanes(of sinks: [String]) throws {
    try write(
      "DELETE FROM lane WHERE node = $2 AND sink = ANY($1)",
      [.texts(sinks), .integer(node.lanes)])
  }

  func save(_ progress: [LaneProgress]) throws {
    var (cursorRows, dispatchedRows) = (PostgresRows(.text, .int8), PostgresRows(.text, .int8))
    for (sink, number) in latest(\.cursor, in: progress) {
      cursorRows.add(sink)
      cursorRows.add(number)
    }
    for (sink, number) in latest(\.lastDispatched, in: progress) {
      dispatchedRows.add(sink)
      dispatchedRows.add(number)
    }
    let allChannels = Channel.allCases.reduce(into: ChannelSet()) { $0.insert(ChannelSet($1)) }
    try write(
      cursorRows, "sink, through",
      """
      INSERT INTO lane
      SELECT \(node.lanes), u.sink, u.through, \(allChannels.rawValue), u.through FROM
      """,
      "ON CONFLICT (node, sink) DO UPDATE SET through = excluded.through")
    try write(
      dispatchedRows, "sink, last_dispatched",
      "UPDATE lane l SET last_dispatched = u.last_dispatched FROM",
      "WHERE l.node = \(node.lanes) AND l.sink = u.sink")
  }

  /// Returns, for each sink, the last value of `number` in `progress` that is not nil.
  private func latest(
    _ number: KeyPath<LaneProgress, Int64?>, in progress: [LaneProgress]
  ) -> [String: Int64] {
    var latest: [String: Int64] = [:]
    for lane in progress { latest[lane.sink] = lane[keyPath: number] ?? latest[lane.sink] }
    return latest
  }

  func deliveries(
    after notification: Int64, limit: Int, on wanted: ChannelSet
  ) throws -> (deliveries: [Delivery], through: Int64?) {
    var (deliveries, through): ([Delivery], Int64?) = ([], nil)
    try query(
      """
      SELECT \(DeliveryRow.columns) FROM notification n \(ownNotification) \(DeliveryRow.joins)
      WHERE n.id > $1 ORDER BY n.id LIMIT $2
      """, [.integer(notification), .integer(limit)]
    ) { columns in
      let row = try DeliveryRow(columns)
      through = row.notification.number
      deliveries += row.deliveries(on: wanted, of: node.instance)
    }
    return (deliveries, through)
  }

  // MARK: - Backlogs

  func backlogs(of lanes: [String: Int64?], limit: Int) throws -> [String: LaneBacklog] {
    var backlogs = lanes.mapValues { _ in LaneBacklog() }
    var oldest: [String: Int64] = [:]
    try query(
      """
      SELECT u.sink, waiting.count, dead.count, waiting.oldest FROM unnest($1::text[]) AS u(sink),
      LATERAL (SELECT count(*), min(notification) AS oldest FROM (
        SELECT notification FROM retry WHERE sink = u.sink AND due IS NOT NULL
        ORDER BY due LIMIT $2) AS first) AS waiting,
      LATERAL (SELECT count(*) FROM (
        SELECT 1 FROM retry WHERE sink = u.sink AND due IS NULL ORDER BY due LIMIT $2) AS counted)
        AS dead
      """, [.texts(lanes.keys), .integer(limit)]
    ) { row in
      backlogs[row.text(0)]?.retrying = Int(row.integer(1))
      backlogs[row.text(0)]?.deadLetters = Int(row.integer(2))
      oldest[row.text(0)] = row.optionalInteger(3)
    }
    let notifications = try rows(of: Set(oldest.values))
    for (sink, number) in oldest { backlogs[sink]?.oldestRetry = notifications[number]?.at }
    for (sink, time) in try oldestDeliveries(after: lanes.compactMapValues { $0 }) {
      backlogs[sink]?.oldestDelivery = time
    }
    return backlogs
  }

  /// Returns, for each sink, when the gates passed the first delivery after the lane's cursor.
  private func oldestDeliveries(after cursors: [String: Int64]) throws -> [String: Instant] {
    guard !cursors.isEmpty else { return [:] }
    var times: [String: Instant] = [:]
    try query(
      """
      SELECT u.sink, n.at FROM unnest($1::text[], $2::int8[]) AS u(sink, cursor),
      LATERAL (SELECT n.at FROM notification n \(ownNotification)
        WHERE n.id > u.cursor AND n.outcome = \(Self.delivered) ORDER BY n.id LIMIT 1) n
      """, [.texts(cursors.keys), .integers(cursors.values)]
    ) { times[$0.text(0)] = $0.instant(1) }
    return times
  }

  private static let delivered = Outcome.delivered.rawValue

  // MARK: - Starts

  /// The key of the note with the number of the last start.
  private static let bootNote = "boot"
  /// The key of the note with the number of the last start that was requested to stop.
  private static let stopNote = "stop"

  /// Counts a start, and returns whether the previous process was requested to stop. A node of a
  /// fleet counts none and returns true. It has no previous start, and it gets the deliveries of
  /// earlier nodes with their shards.
  func beginBoot() throws -> Bool {
    guard !node.isFleet else { return true }
    let last = try note(Self.bootNote)
    let wasStopRequested = try last != nil && last == note(Self.stopNote)
    try saveNote(Self.bootNote, "\((last.flatMap { Int64($0) } ?? 0) + 1)")
    return wasStopRequested
  }

  func recordStop() throws {
    guard !node.isFleet else {
      return try write(ShardStatements.markAsStopping, [.integer(node.incarnation)])
    }
    if let boot = try note(Self.bootNote) { try saveNote(Self.stopNote, boot) }
  }

  func takeOrphans(now: Instant, hasCrashed: Bool) throws -> [String: Int] {
    var orphans: [String: Int] = [:]
    guard !node.isFleet else { return [:] }
    try query("SELECT sink, count(*) FROM retry WHERE holder IS NOT NULL GROUP BY sink") {
      orphans[$0.text(0)] = Int($0.integer(1))
    }
    let deaths = hasCrashed ? 1 : 0
    try write(
      "UPDATE retry SET holder = NULL, deaths = deaths + $1 WHERE holder IS NOT NULL",
      [.integer(deaths)])
    hasWritten = true
    try query(
      """
      WITH taken AS (
        INSERT INTO retry
        SELECT n.shard, n.id, c.channel, l.sink, 0, $1, '', NULL, $2 FROM lane l
        JOIN generate_series(0, \(Channel.allCases.count - 1)) AS c(channel)
          ON (l.channels >> c.channel) & 1 = 1
        JOIN notification n ON n.id > l.through AND n.id <= l.last_dispatched
          AND n.outcome = \(Self.delivered) AND (n.channels >> c.channel) & 1 = 1
        \(ownNotification) WHERE l.node = \(node.lanes)
        ON CONFLICT DO NOTHING RETURNING sink
      ) SELECT sink, count(*) FROM taken GROUP BY sink
      """, [.integer(now.milliseconds), .integer(deaths)]
    ) { orphans[$0.text(0), default: 0] += Int($0.integer(1)) }
    try write(
      """
      UPDATE lane SET through = last_dispatched
      WHERE node = \(node.lanes) AND last_dispatched > through
      """)
    return orphans
  }

  // MARK: - Changed routes

  func moveBacklog(
    of channel: Channel, after cursor: Int64, from old: String, to sink: String?, now: Instant
  ) throws {
    // The inbox needs no sink.
    guard sink != nil || channel != .inapp else { return }
    try write(
      """
      INSERT INTO retry
      SELECT n.shard, n.id, $1, $2, 0, $3, $4, NULL, 0 FROM notification n \(ownNotification)
      WHERE n.id > $5 AND n.outcome = \(Self.delivered)
        AND n.channels & \(ChannelSet(channel).rawValue) <> 0
      ON CONFLICT DO NOTHING
      """,
      [
        .integer(channel.rawValue), .text(sink ?? old),
        .integer(sink == nil ? nil : now.milliseconds),
        .text(sink == nil ? DeadLetter.noSinkReason(channel) : ""), .integer(cursor),
      ])
  }

  func retryPairs() throws -> [(sink: String, channel: Channel)] {
    let pairs = try rows(
      """
      SELECT DISTINCT sink, channel FROM retry
      WHERE due IS NOT NULL AND holder IS NULL AND \(isOwn("shard"))
      """
    ) { row in
      Channel(rawValue: UInt8(truncatingIfNeeded: row.integer(1))).map { (row.text(0), $0) }
    }
    return pairs.compactMap { $0 }
  }

  func moveRetries(of sink: String, on channel: Channel, to other: String?) throws {
    let change =
      other == nil ? "due = NULL, reason = $3" : "sink = $3, attempts = 0, deaths = 0"
    let isFree = """
      WHERE sink = $1 AND channel = $2 AND due IS NOT NULL AND holder IS NULL
        AND \(isOwn("shard"))
      """
    // A withdrawal is for the service that accepted the delivery, and for no other.
    try write(
      "DELETE FROM retry \(isFree) AND withdrawn IS NOT NULL",
      [.text(sink), .integer(channel.rawValue)])
    try write(
      "UPDATE retry SET \(change) \(isFree)",
      [.text(sink), .integer(channel.rawValue), .text(other ?? DeadLetter.noSinkReason(channel))])
  }

  func deleteRetries(of sink: String, after cursor: Int64, on channels: ChannelSet) throws -> Bool {
    hasWritten = true
    let deleted = try rows(
      """
      DELETE FROM retry WHERE sink = $1 AND notification > $2 AND due IS NOT NULL
        AND ($3 >> channel) & 1 = 1 AND \(isOwn("shard")) AND NOT EXISTS (
          SELECT 1 FROM notification n WHERE n.shard = retry.shard AND n.id = retry.notification
            AND (n.fallback >> retry.channel) & 1 = 1)
        RETURNING 1
      """, [.text(sink), .integer(cursor), .integer(channels.rawValue)]
    ) { $0.integer(0) }
    return !deleted.isEmpty
  }
}
