import GRDB
import Store

/// The prepared statements for attempts and dead letters.
final class AttemptStatements {
  /// Inserts or replaces first attempts, reports and steps of withdrawals.
  let insertFirst: BulkInsert
  let insertNext: HotStatement
  /// Deletes the attempts of a delivery that exceed the maximum number.
  let deleteOldest: HotStatement
  let ofNotification: HotStatement
  /// Selects the last attempt of a notification on each channel.
  let last: HotStatement
  let lastNumber: HotStatement
  let deadLetters: HotStatement
  let deadLetter: HotStatement
  let countDeadLetters: HotStatement

  /// - Parameter deliveries: a SELECT of deliveries without its condition.
  init(_ database: Database, deliveries: String) throws {
    func prepare(_ sql: String) throws -> HotStatement { try HotStatement(database, sql) }
    let columns = SQLiteTable.attempt.columnList
    insertFirst = try BulkInsert(database, "INSERT OR REPLACE", into: .attempt)
    insertNext = try prepare(SQLiteTable.attempt.insertion("INSERT"))
    lastNumber = try prepare(
      "SELECT max(number) FROM attempt WHERE notification = ?1 AND channel = ?2")
    deleteOldest = try prepare(
      """
      DELETE FROM attempt WHERE notification = ?1 AND channel = ?2 AND number > 0 AND number <=
        (SELECT max(number) FROM attempt WHERE notification = ?1 AND channel = ?2) - ?3
      """)
    ofNotification = try prepare(
      "SELECT \(columns) FROM attempt WHERE notification = ?1 ORDER BY at, channel, number")
    // With max(), SQLite takes the other columns from the row that has the maximum.
    last = try prepare(
      """
      SELECT \(columns), max(number) FROM attempt WHERE notification = ?1 AND number > 0
      GROUP BY channel
      """)
    let letters = deliveries.replacing(
      "FROM notification n",
      with: """
        , t.sink, t.channel, t.attempts, t.reason, t.deaths FROM retry t
        JOIN notification n ON n.id = t.notification AND \(RetryRow.isIntact("t"))
        """)
    deadLetters = try prepare(
      letters + """
         WHERE t.due IS NULL AND (t.notification, t.channel) > (?1, ?2) AND (?3 = '' OR t.sink = ?3)
        ORDER BY t.notification, t.channel LIMIT ?4
        """)
    deadLetter = try prepare(
      letters + " WHERE t.due IS NULL AND t.notification = ?1 AND t.channel = ?2")
    countDeadLetters = try prepare(
      "SELECT count(*) FROM (SELECT 1 FROM retry WHERE due IS NULL LIMIT ?1)")
  }
}
