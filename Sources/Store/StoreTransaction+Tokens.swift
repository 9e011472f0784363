package import Access

extension StoreTransaction {
  /// Every token that was ever made, but for those of recipients who were erased.
  package func tokens() throws -> [TokenRecord] {
    var tokens: [TokenRecord] = []
    try statements.tokens.all.rows { tokens.append(try TokenRow.token($0)) }
    return tokens
  }

  /// Writes a token, be it new or changed.
  package func save(_ token: TokenRecord) throws {
    TokenRow.bind(token, to: statements.tokens.upsert)
    try statements.tokens.upsert.run()
  }
}
