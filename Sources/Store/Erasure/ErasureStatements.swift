import GRDB

/// The prepared statements for erasures.
final class ErasureStatements {
  /// Those that forget what belongs to a notification, whose number is their one value.
  let clearNotification: [HotStatement]
  let clearMessage: HotStatement
  /// Those that forget what belongs to a recipient, whose row is their one value; what others are
  /// found by comes last.
  let clear: [HotStatement]
  let clearEvent: HotStatement
  let tombstone: HotStatement
  let upsertTombstone: HotStatement
  /// Whether anybody was ever erased; while nobody was, no event has to be asked about.
  var hasTombstones: Bool

  init(_ database: Database) throws {
    clearNotification = try Self.clearNotification.map {
      try HotStatement(database, "DELETE FROM \($0)")
    }
    clearMessage = try HotStatement(
      database, "DELETE FROM message WHERE id = ?1 AND hash IS NULL")
    clear = try Self.clear.map { try HotStatement(database, "DELETE FROM \($0)") }
    clearEvent = try HotStatement(database, EventRow.clear)
    tombstone = try HotStatement(
      database, "SELECT time FROM tombstone WHERE name = ?1 AND rest = ?2")
    upsertTombstone = try HotStatement(
      database,
      """
      INSERT INTO tombstone VALUES (?1, ?2, ?3)
      ON CONFLICT DO UPDATE SET time = max(time, excluded.time)
      """)
    hasTombstones =
      try Bool.fetchOne(database, sql: "SELECT EXISTS (SELECT 1 FROM tombstone)") ?? true
  }

  private static let clear = [
    "analytics_event WHERE recipient = ?1", "inbox WHERE recipient = ?1",
    "schedule WHERE recipient = ?1", "recipient WHERE id = ?1",
  ]

  private static let clearNotification = [
    "retry WHERE notification = ?1", "attempt WHERE notification = ?1",
    "notification WHERE id = ?1",
  ]
}
