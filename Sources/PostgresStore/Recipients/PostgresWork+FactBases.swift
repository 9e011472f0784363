import CivilTime
import Postgres
import Reminders
import Store

extension PostgresWork {
  func factBases(of rows: [UInt32]) throws -> [UInt32: FactBase] {
    guard !rows.isEmpty else { return [:] }
    let found = try self.rows(
      "SELECT recipient, base FROM fact_base WHERE recipient = ANY($1)",
      [.integers(rows.map(Int64.init))]
    ) { row in
      (UInt32(clamping: row.integer(0)), try FactBase(decoding: row.bytes(1)))
    }
    return Dictionary(found) { first, _ in first }
  }

  func recipientsOfBases(expiredBefore end: Instant, limit: Int) throws -> [UInt32] {
    let ofNode = node.isFleet ? "AND shard = ANY($3)" : ""
    let shards = node.isFleet ? [PostgresParameter.integers(shards.epochs.keys.sorted())] : []
    return try rows(
      """
      SELECT recipient FROM fact_base WHERE expiry < $1 \(ofNode) ORDER BY expiry LIMIT $2
      """, [.integer(end.milliseconds), .integer(limit)] + shards
    ) { UInt32(clamping: $0.integer(0)) }
  }

  private static let replaceBase =
    PostgresTable.factBase.insertion
    + " ON CONFLICT (recipient, shard)"
    + " DO UPDATE SET (expiry, base) = (excluded.expiry, excluded.base)"

  func save(_ base: FactBase, of stored: StoredRecipient) throws {
    var rows = PostgresTable.factBase.rows
    rows.add(try owned(stored.recipient.name))
    rows.add(stored.row)
    rows.add(base.firstExpiry?.milliseconds)
    rows.add(base.encoded)
    try write(Self.replaceBase, rows.arrays)
  }
}
