import GRDB

/// The prepared statements for access tokens.
final class TokenStatements {
  let all: HotStatement
  let upsert: HotStatement
  let deleteOfScope: HotStatement

  init(_ database: Database) throws {
    all = try HotStatement(database, "SELECT \(TokenRow.columns) FROM token ORDER BY created")
    upsert = try HotStatement(
      database, "INSERT OR REPLACE INTO token VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")
    deleteOfScope = try HotStatement(database, "DELETE FROM token WHERE scope = ?1")
  }
}
