import GRDB
import Reminders
import Store

extension StoreTransaction {
  func savePhone(_ number: PhoneNumber?, of stored: StoredRecipient) throws {
    let phones = statements.phones
    guard let number else {
      phones.remove.bind(1, Int64(stored.row))
      return try phones.remove.run()
    }
    phones.replace.bind(1, Int64(stored.row))
    phones.replace.bind(2, statements.hash.phone(number))
    try phones.replace.run()
  }

  func rows(of number: PhoneNumber, limit: Int) throws -> [UInt32] {
    let select = statements.phones.select
    select.bind(1, statements.hash.phone(number))
    select.bind(2, Int64(limit))
    var rows: [UInt32] = []
    try select.rows { rows.append(UInt32(truncatingIfNeeded: $0.integer(0))) }
    return rows
  }
}

/// The prepared statements for telephone numbers.
final class PhoneStatements {
  let replace: HotStatement
  let remove: HotStatement
  let select: HotStatement

  init(_ database: Database) throws {
    replace = try HotStatement(database, SQLiteTable.phone.insertion("INSERT OR REPLACE"))
    remove = try HotStatement(database, "DELETE FROM phone WHERE recipient = ?1")
    select = try HotStatement(
      database, "SELECT recipient FROM phone WHERE number = ?1 ORDER BY recipient LIMIT ?2")
  }
}
