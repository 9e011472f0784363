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

  private static let replaceBase =
    PostgresTable.factBase.insertion
    + " ON CONFLICT (recipient, shard) DO UPDATE SET base = excluded.base"

  func save(_ base: FactBase, of stored: StoredRecipient) throws {
    var rows = PostgresTable.factBase.rows
    rows.add(try owned(stored.recipient.name))
    rows.add(stored.row)
    rows.add(base.encoded)
    try write(Self.replaceBase, rows.arrays)
  }
}
