import GRDB

/// The prepared statements for access tokens.
final class TokenStatements {
  let all: HotStatement
  let upsert: HotStatement
  let deleteOfRecipient: HotStatement

  init(_ database: Database) throws {
    all = try HotStatement(
      database,
      "SELECT id, name, recipient, digest, created, expiry, revoked FROM token ORDER BY created")
    upsert = try HotStatement(
      database, "INSERT OR REPLACE INTO token VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")
    deleteOfRecipient = try HotStatement(database, "DELETE FROM token WHERE recipient = ?1")
  }
}
