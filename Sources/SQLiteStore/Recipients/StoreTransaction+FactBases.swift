import CivilTime
import GRDB
import Reminders
import Store

extension StoreTransaction {
  func factBases(of rows: [UInt32]) throws -> [UInt32: FactBase] {
    let select = statements.factBases.select
    var bases: [UInt32: FactBase] = [:]
    for row in rows {
      select.bind(1, Int64(row))
      bases[row] = try select.first(FactBaseRow.base)
    }
    return bases
  }

  func recipientsOfBases(expiredBefore end: Instant, limit: Int) throws -> [UInt32] {
    let select = statements.factBases.expired
    select.bind(1, end.milliseconds)
    select.bind(2, Int64(limit))
    var rows: [UInt32] = []
    try select.rows { rows.append(UInt32(clamping: $0.integer(0))) }
    return rows
  }

  func save(_ base: FactBase, of stored: StoredRecipient) throws {
    FactBaseRow.bind(base, of: stored.row, to: statements.factBases.replace)
    try statements.factBases.replace.run()
  }
}

/// The prepared statements for the bases of facts.
final class FactBaseStatements {
  let select: HotStatement
  let expired: HotStatement
  let replace: HotStatement

  init(_ database: Database) throws {
    select = try HotStatement(
      database, "SELECT \(FactBaseRow.columns) FROM fact_base WHERE recipient = ?1")
    expired = try HotStatement(
      database, "SELECT recipient FROM fact_base WHERE expiry < ?1 ORDER BY expiry LIMIT ?2")
    replace = try HotStatement(database, SQLiteTable.factBase.insertion("INSERT OR REPLACE"))
  }
}
