import CivilTime
import GRDB
import Reminders
import Store

/// The prepared statements for lanes, which are the queues of sinks, and for retries.
final class LaneStatements {
  let all: HotStatement
  let ofSink: HotStatement
  let save: HotStatement
  let delete: HotStatement
  let deliveriesAfter: HotStatement
  let countAfter: HotStatement
  let insertOrphans: HotStatement
  let countRetriesInFlight: HotStatement
  let moveBacklog: HotStatement

  /// Selects the pairs of a sink and a channel that have waiting retries.
  let retryPairs: HotStatement
  let deleteWithdrawals: HotStatement
  let moveRetries: HotStatement
  /// Makes the waiting retries of a sink on a channel dead letters.
  let endRetries: HotStatement
  let deleteRetries: HotStatement
  let shiftRetries: HotStatement
  let insertRetry: HotStatement
  let deleteRetry: HotStatement
  /// Marks a retry as in flight.
  let setHolder: HotStatement
  /// Marks a retry as waiting.
  let clearHolder: HotStatement
  /// Marks all retries in flight as waiting, and counts a crash for each of them if the process
  /// crashed.
  let orphanRetries: HotStatement
  let suspects: HotStatement
  let postponeRetry: HotStatement
  let dueRetries: HotStatement
  let nextRetry: HotStatement
  let countRetries: HotStatement
  /// The number of this start of the service; 0 until `beginBoot` counts this start.
  var boot: Int64 = 0

  /// - Parameter deliveries: a SELECT of deliveries without a WHERE clause.
  init(_ database: Database, deliveries: String) throws {
    ChecksumFunctions.add(to: database)
    func prepare(_ sql: String) throws -> HotStatement { try HotStatement(database, sql) }
    all = try prepare("SELECT \(SQLiteTable.lane.columnList) FROM lane")
    ofSink = try prepare("SELECT \(SQLiteTable.lane.columnList) FROM lane WHERE sink = ?1")
    save = try prepare(SQLiteTable.lane.insertion("REPLACE"))
    delete = try prepare("DELETE FROM lane WHERE sink = ?1")
    countAfter = try prepare("SELECT count(*) FROM notification WHERE id > ?1")
    deliveriesAfter = try prepare(deliveries + " WHERE n.id > ?1 ORDER BY n.id LIMIT ?2")
    // Outcome 1 means delivered.
    insertOrphans = try prepare(
      """
      INSERT OR IGNORE INTO retry \(RetryRow.columns)
      SELECT \(RetryRow.values("id", "?1", sink: "?2", due: "?3", deaths: "?4")) FROM notification
      WHERE id > ?5 AND id <= ?6 AND outcome = 1 AND channels & (1 << ?1)
      """)
    countRetriesInFlight = try prepare(
      "SELECT sink, count(*) FROM retry WHERE holder IS NOT NULL GROUP BY sink")
    moveBacklog = try prepare(
      """
      INSERT OR IGNORE INTO retry \(RetryRow.columns)
      SELECT \(RetryRow.values("id", "?1", sink: "?2", due: "?3", reason: "?4")) FROM notification
      WHERE id > ?5 AND outcome = 1 AND channels & (1 << ?1)
      """)
    // A retry with a holder is in flight: its sink has not answered yet.
    retryPairs = try prepare(
      "SELECT DISTINCT sink, channel FROM retry WHERE due IS NOT NULL AND holder IS NULL")
    let waiting = "sink = ?1 AND channel = ?2 AND due IS NOT NULL AND holder IS NULL"
    deleteWithdrawals = try prepare("DELETE FROM retry WHERE \(waiting) AND withdrawn IS NOT NULL")
    moveRetries = try prepare(
      RetryRow.update(["sink": "?3", "attempts": "0", "deaths": "0"], where: waiting))
    endRetries = try prepare(RetryRow.update(["due": "NULL", "reason": "?3"], where: waiting))
    deleteRetries = try prepare(
      """
      DELETE FROM retry WHERE sink = ?1 AND notification > ?2 AND ?3 & (1 << channel)
        AND due IS NOT NULL AND NOT EXISTS (
          SELECT 1 FROM notification n WHERE n.id = retry.notification
            AND n.fallback & (1 << retry.channel))
      """)
    shiftRetries = try prepare(RetryRow.update(["due": "due - ?1"], where: "due IS NOT NULL"))
    let values = RetryRow.values(
      "?1", "?2", sink: "?3", attempts: "?4", due: "?5", reason: "?6", deaths: "?7", withdrawn: "?8"
    )
    insertRetry = try prepare(
      "INSERT OR REPLACE INTO retry \(RetryRow.columns) VALUES (\(values))")
    deleteRetry = try prepare("DELETE FROM retry WHERE notification = ?1 AND channel = ?2")
    let hasKey = "notification = ?1 AND channel = ?2"
    setHolder = try prepare(RetryRow.update(["holder": "?3"], where: hasKey))
    clearHolder = try prepare(RetryRow.update(["holder": "NULL"], where: hasKey))
    orphanRetries = try prepare(
      RetryRow.update(["holder": "NULL", "deaths": "deaths + ?1"], where: "holder IS NOT NULL"))
    let retries = deliveries.replacing(
      "FROM notification n",
      with: """
        , t.sink, t.channel, t.attempts, t.deaths, t.withdrawn FROM retry t
        JOIN notification n ON n.id = t.notification AND \(RetryRow.isIntact("t"))
        """)
    suspects = try prepare(
      retries + " WHERE t.deaths >= ?1 AND t.due IS NOT NULL ORDER BY t.due, t.notification")
    postponeRetry = try prepare(RetryRow.update(["due": "max(due, ?3)"], where: hasKey))
    dueRetries = try prepare(
      retries + """
         WHERE t.sink = ?3 AND t.due <= ?1 AND t.holder IS NULL
        ORDER BY t.due, t.notification LIMIT ?2
        """)
    nextRetry = try prepare(
      "SELECT min(due) FROM retry WHERE sink = ?1 AND holder IS NULL AND \(RetryRow.isIntact())")
    countRetries = try prepare(
      "SELECT count(*) FROM (SELECT 1 FROM retry WHERE \(CountStatements.isRetry) LIMIT ?2)")
  }
}

/// Starts of the service, and deliveries that were in flight (dispatched and unanswered) when an
/// earlier process ended.
extension StoreTransaction {
  /// The key of the note (a row of `meta`) with the number of the last start.
  private static let bootNote = "boot"
  /// The key of the note with the number of the last start that was requested to stop.
  private static let stopNote = "stop"

  /// Counts a start of the service. A retry in flight has the number of the start as its holder.
  ///
  /// - Returns: whether the previous process was requested to stop.
  func beginBoot() throws -> Bool {
    let last = try note(Self.bootNote)
    let wasStopRequested = try last != nil && last == note(Self.stopNote)
    statements.lane.boot = (last.flatMap { Int64($0) } ?? 0) + 1
    try saveNote(Self.bootNote, "\(statements.lane.boot)")
    return wasStopRequested
  }

  /// Records that this process was requested to stop. Then its end does not count as a crash, of
  /// which unanswered deliveries could be the cause.
  func recordStop() throws {
    try saveNote(Self.stopNote, "\(statements.lane.boot)")
  }

  /// Records that all notifications up to this one are about to be dispatched to a sink. Does
  /// nothing if the sink has no lane.
  func saveLastDispatched(of sink: String, through notification: Int64) throws {
    guard var row = try lane(of: sink) else { return }
    row.lane.lastDispatched = notification
    try save(row)
  }

  /// Finds the orphans: deliveries that an earlier process dispatched and whose sink did not
  /// answer. They become retries that are due now.
  ///
  /// - Parameter hasCrashed: whether the previous process crashed.
  /// - Returns: the number of retries of each sink.
  func takeOrphans(now: Instant, hasCrashed: Bool) throws -> [String: Int] {
    var orphans: [String: Int] = [:]
    try statements.lane.countRetriesInFlight.rows { orphans[$0.text(0)] = Int($0.integer(1)) }
    statements.lane.orphanRetries.bind(1, hasCrashed ? 1 : 0)
    try statements.lane.orphanRetries.run()
    for (sink, lane) in try lanes() where lane.lastDispatched > lane.cursor {
      for channel in lane.channels.channels {
        orphans[sink, default: 0] += try takeOrphans(
          of: sink, lane, channel, now: now, hasCrashed: hasCrashed)
      }
      try saveCursor(of: sink, through: lane.lastDispatched)
    }
    return orphans.filter { $0.value > 0 }
  }

  private func takeOrphans(
    of sink: String, _ lane: StoredLane, _ channel: Channel, now: Instant, hasCrashed: Bool
  ) throws -> Int {
    let insert = statements.lane.insertOrphans
    insert.bind(1, Int64(channel.rawValue))
    insert.bind(2, sink)
    insert.bind(3, now.milliseconds)
    insert.bind(4, hasCrashed ? 1 : 0)
    insert.bind(5, lane.cursor)
    insert.bind(6, lane.lastDispatched)
    try insert.run()
    return insert.changes
  }

  /// Returns the retries that have been in flight at `deaths` crashes or more since their sink last
  /// answered.
  func suspects(deaths: Int) throws -> [Retry] {
    var suspects: [Retry] = []
    statements.lane.suspects.bind(1, Int64(deaths))
    try statements.lane.suspects.rows { columns in
      if let suspect = try retry(columns) { suspects.append(suspect) }
    }
    return suspects
  }
}
