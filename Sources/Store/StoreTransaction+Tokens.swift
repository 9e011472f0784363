package import Access
package import CivilTime

extension StoreTransaction {
  /// Every token that was ever made, but for those of recipients who were erased.
  package func tokens() throws -> [TokenRecord] {
    var tokens: [TokenRecord] = []
    try statements.tokens.all.rows { columns in
      guard let scope = AccessScope(columns.text(2)) else {
        throw DamagedRow("token", columns.text(0))
      }
      tokens.append(
        TokenRecord(
          identifier: columns.text(0), name: columns.text(1),
          scope: scope,
          digest: Array(columns.bytes(3)), created: Instant(milliseconds: columns.integer(4)),
          expiry: columns.optionalInteger(5).map { Instant(milliseconds: $0) },
          revoked: columns.optionalInteger(6).map { Instant(milliseconds: $0) }))
    }
    return tokens
  }

  /// Writes a token, be it new or changed.
  package func save(_ token: TokenRecord) throws {
    let upsert = statements.tokens.upsert
    upsert.bind(1, token.identifier)
    upsert.bind(2, token.name)
    upsert.bind(3, token.scope.text)
    upsert.bind(4, token.digest)
    upsert.bind(5, token.created.milliseconds)
    upsert.bind(6, token.expiry?.milliseconds)
    upsert.bind(7, token.revoked?.milliseconds)
    try upsert.run()
  }
}
