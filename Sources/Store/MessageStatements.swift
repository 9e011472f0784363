import GRDB

/// The prepared statements for what is said.
final class MessageStatements {
  let insert: HotStatement
  let ofHash: HotStatement
  let deleteOwn: HotStatement
  /// Those that many are told, as far as they are known to be stored.
  let known = KnownMessages()

  init(_ database: Database) throws {
    insert = try HotStatement(
      database, "INSERT INTO message VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)")
    ofHash = try HotStatement(
      database, "SELECT m.id, \(MessageRow.columns) FROM message m WHERE m.hash = ?1")
    deleteOwn = try HotStatement(
      database,
      """
      DELETE FROM message WHERE id = ?1 AND hash IS NULL AND NOT EXISTS
        (SELECT 1 FROM notification
         WHERE reminder = ?2 AND occurrence = ?3 AND recipient = ?4 AND message = ?1)
      """)
  }
}
