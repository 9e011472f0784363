import GRDB

/// The prepared statements for what became of each attempt, and for dead letters.
final class AttemptStatements {
  let insertFirst: BulkInsert
  let insertNext: HotStatement
  let forgetOldest: HotStatement
  let ofNotification: HotStatement
  let lastVerdicts: HotStatement
  let deadLetters: HotStatement
  let deadLetter: HotStatement
  let countDeadLetters: HotStatement

  init(_ database: Database, deliveries: String) throws {
    func prepare(_ sql: String) throws -> HotStatement { try HotStatement(database, sql) }
    insertFirst = try BulkInsert(database, "INSERT OR REPLACE INTO attempt", columns: 10)
    insertNext = try prepare(
      """
      INSERT INTO attempt SELECT ?1, ?2, coalesce(max(number), 0) + 1, ?4, ?5, ?6, ?7, ?8, ?9, ?10
      FROM attempt WHERE notification = ?1 AND channel = ?2
      """)
    forgetOldest = try prepare(
      """
      DELETE FROM attempt WHERE notification = ?1 AND channel = ?2 AND number <=
        (SELECT max(number) FROM attempt WHERE notification = ?1 AND channel = ?2) - ?3
      """)
    ofNotification = try prepare(
      """
      SELECT channel, sink, at, verdict, status, excerpt, duration, reason
      FROM attempt WHERE notification = ?1 ORDER BY at, channel, number
      """)
    // Beside max() SQLite takes the other columns of the row that has it.
    lastVerdicts = try prepare(
      """
      SELECT channel, verdict, max(number) FROM attempt WHERE notification = ?1 GROUP BY channel
      """)
    let letters = deliveries.replacing(
      "FROM notification n",
      with: """
        , t.sink, t.channel, t.attempts, t.reason, t.deaths FROM retry t
        JOIN notification n ON n.id = t.notification
        """)
    deadLetters = try prepare(
      letters + """
         WHERE t.due IS NULL AND (t.notification, t.channel) > (?1, ?2) AND (?3 = '' OR t.sink = ?3)
        ORDER BY t.notification, t.channel LIMIT ?4
        """)
    deadLetter = try prepare(
      letters + " WHERE t.due IS NULL AND t.notification = ?1 AND t.channel = ?2")
    countDeadLetters = try prepare("SELECT count(*) FROM retry WHERE due IS NULL")
  }
}
