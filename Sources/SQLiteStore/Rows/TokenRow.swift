import Access
import CivilTime

/// A row of `token`, verified by its checksum: a changed bit could grant access.
enum TokenRow {
  /// The columns that a statement must select in this order, and those of a new row.
  static let columns = "id, name, scope, digest, created, expiry, revoked, last_use, checksum"

  /// Reads the current row of a statement.
  static func token(_ row: HotStatement) throws -> TokenRecord {
    guard let scope = AccessScope(row.text(2)) else { throw DamagedRow("token", row.text(0)) }
    let token = TokenRecord(
      identifier: row.text(0), name: row.text(1),
      scope: scope,
      digest: Array(row.bytes(3)), created: Instant(milliseconds: row.integer(4)),
      expiry: row.optionalInteger(5).map { Instant(milliseconds: $0) },
      revoked: row.optionalInteger(6).map { Instant(milliseconds: $0) },
      lastUse: row.optionalInteger(7).map { Instant(milliseconds: $0) })
    guard checksum(of: token) == row.integer(8) else {
      throw DamagedRow("token", token.identifier)
    }
    return token
  }

  static func bind(_ token: TokenRecord, to insert: HotStatement) {
    insert.bind(1, token.identifier)
    insert.bind(2, token.name)
    insert.bind(3, token.scope.text)
    insert.bind(4, token.digest)
    insert.bind(5, token.created.milliseconds)
    insert.bind(6, token.expiry?.milliseconds)
    insert.bind(7, token.revoked?.milliseconds)
    insert.bind(8, token.lastUse?.milliseconds)
    insert.bind(9, checksum(of: token))
  }

  private static func checksum(of token: TokenRecord) -> Int64 {
    var sum = Checksum()
    sum.add(token.identifier)
    sum.add(token.name)
    sum.add(token.scope.text)
    sum.add(token.digest)
    sum.add(token.created.milliseconds)
    sum.add(token.expiry?.milliseconds)
    sum.add(token.revoked?.milliseconds)
    sum.add(token.lastUse?.milliseconds)
    return sum.value
  }
}
