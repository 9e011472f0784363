import CivilTime
import Postgres
import Reminders
import Store

/// The adoptions of catalogs and settings, which belong to the store and not to a shard.
extension PostgresWork {
  func adoptions() throws -> [Adoption] {
    try rows("SELECT \(PostgresTable.adoption.columnList) FROM adoption ORDER BY at") { row in
      var reader = ColumnReader(row)
      return AdoptionRow.adoption(from: &reader)
    }
  }

  func adoptedText(of catalogs: String) throws -> String? {
    try rows("SELECT text FROM adopted_text WHERE catalogs = $1", [.text(catalogs)]) {
      $0.text(0)
    }.first
  }

  func record(_ adoption: Adoption, text: String) throws {
    var adoptions = PostgresTable.adoption.rows
    AdoptionRow.put(adoption, to: &adoptions)
    try write(
      PostgresTable.adoption.insertion
        + " ON CONFLICT (at) DO UPDATE SET \(PostgresTable.adoption.replacement)",
      adoptions.arrays)
    try write(
      "INSERT INTO adopted_text VALUES ($1, $2) ON CONFLICT (catalogs) DO NOTHING",
      [.text(adoption.catalogs), .text(text)])
  }

  func removeAdoptions(before first: Instant) throws {
    try write("DELETE FROM adoption WHERE at < $1", [.integer(first.milliseconds)])
    try write("DELETE FROM adopted_text WHERE catalogs NOT IN (SELECT catalogs FROM adoption)")
  }
}
