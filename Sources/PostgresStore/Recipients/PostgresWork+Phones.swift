import Postgres
import Reminders
import Store

extension PostgresWork {
  func savePhone(_ number: PhoneNumber?, of stored: StoredRecipient) throws {
    let shard = try owned(stored.recipient.name)
    guard let number else {
      return try write(
        "DELETE FROM phone WHERE recipient = $1 AND shard = $2",
        [.integer(stored.row), .integer(shard)])
    }
    var rows = PostgresTable.phone.rows
    rows.add(shard)
    rows.add(stored.row)
    rows.add(node.hash.phone(number))
    try write(
      PostgresTable.phone.insertion
        + " ON CONFLICT (recipient, shard) DO UPDATE SET number = excluded.number", rows.arrays)
  }

  func rows(of number: PhoneNumber, limit: Int) throws -> [UInt32] {
    try rows(
      "SELECT recipient FROM phone WHERE number = $1 ORDER BY recipient LIMIT $2",
      [.integer(node.hash.phone(number)), .integer(Int64(limit))]
    ) { UInt32(clamping: $0.integer(0)) }
  }
}
