import GRDB
import Store

/// The prepared statements for erasures.
final class ErasureStatements {
  /// Statements that delete a notification and its rows in other tables, with the notification's
  /// number as their only parameter.
  let clearNotification: [HotStatement]
  /// Deletes a message unless it is shared.
  let clearMessage: HotStatement
  /// Statements that delete the rows of a recipient in all tables, with the recipient's row number
  /// as their only parameter. The recipient's own row is deleted last, because the other rows are
  /// found by it.
  let clearRecipient: [HotStatement]
  let clearEvent: HotStatement
  /// Replaces the data of an event.
  let replaceData: HotStatement
  /// Selects the time of the last erasure of a name.
  let tombstone: HotStatement
  let upsertTombstone: HotStatement
  /// Replaces the times of erasures that are after an instant by that instant.
  let boundTombstones: HotStatement
  /// Whether any recipient was ever erased. If not, no name is looked up among the tombstones.
  var hasTombstones: Bool

  init(_ database: Database) throws {
    clearNotification = try Self.clearNotification.map {
      try HotStatement(database, "DELETE FROM \($0)")
    }
    clearMessage = try HotStatement(
      database, "DELETE FROM message WHERE id = ?1 AND hash IS NULL")
    clearRecipient = try Self.clearRecipient.map {
      try HotStatement(database, "DELETE FROM \($0)")
    }
    clearEvent = try HotStatement(database, EventRow.clear)
    replaceData = try HotStatement(database, EventRow.replaceData)
    tombstone = try HotStatement(
      database, "SELECT time FROM tombstone WHERE name = ?1 AND rest = ?2")
    upsertTombstone = try HotStatement(
      database,
      SQLiteTable.tombstone.insertion("INSERT")
        + " ON CONFLICT DO UPDATE SET time = max(time, excluded.time)")
    boundTombstones = try HotStatement(
      database, "UPDATE tombstone SET time = ?1 WHERE time > ?1")
    hasTombstones =
      try Bool.fetchOne(database, sql: "SELECT EXISTS (SELECT 1 FROM tombstone)") ?? true
  }

  private static let clearRecipient = [
    "analytics_event WHERE recipient = ?1", "inbox WHERE recipient = ?1",
    "schedule WHERE recipient = ?1", "request WHERE recipient = ?1",
    "phone WHERE recipient = ?1", "recipient WHERE id = ?1",
  ]

  private static let clearNotification = [
    "retry WHERE notification = ?1", "attempt WHERE notification = ?1",
    "notification WHERE id = ?1",
  ]
}
