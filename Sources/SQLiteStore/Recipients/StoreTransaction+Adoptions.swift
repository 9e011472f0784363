import CivilTime
import GRDB
import Reminders
import Store

extension StoreTransaction {
  func adoptions() throws -> [Adoption] {
    var adoptions: [Adoption] = []
    try statements.adoptions.all.rows { adoptions.append(try AdoptionRow.adoption($0)) }
    return adoptions
  }

  func adoptedText(of catalogs: String) throws -> String? {
    let select = statements.adoptions.text
    select.bind(1, catalogs)
    return try select.first(AdoptionRow.text)
  }

  func record(_ adoption: Adoption, text: String) throws {
    AdoptionRow.bind(adoption, to: statements.adoptions.replace)
    try statements.adoptions.replace.run()
    let insert = statements.adoptions.insertText
    AdoptionRow.bind(text: text, of: adoption.catalogs, to: insert)
    try insert.run()
  }

  func removeAdoptions(before first: Instant) throws {
    statements.adoptions.delete.bind(1, first.milliseconds)
    try statements.adoptions.delete.run()
    try statements.adoptions.deleteTexts.run()
  }
}

/// The prepared statements for adoptions.
final class AdoptionStatements {
  let all: HotStatement
  let replace: HotStatement
  let delete: HotStatement
  let text: HotStatement
  let insertText: HotStatement
  /// Deletes the texts that no adoption uses.
  let deleteTexts: HotStatement

  init(_ database: Database) throws {
    func prepare(_ sql: String) throws -> HotStatement { try HotStatement(database, sql) }
    all = try prepare("SELECT \(SQLiteTable.adoption.columnList) FROM adoption ORDER BY at")
    replace = try prepare(SQLiteTable.adoption.insertion("INSERT OR REPLACE"))
    delete = try prepare("DELETE FROM adoption WHERE at < ?1")
    text = try prepare(
      "SELECT \(SQLiteTable.adoptedText.columnList) FROM adopted_text WHERE catalogs = ?1")
    insertText = try prepare(SQLiteTable.adoptedText.insertion("INSERT OR IGNORE"))
    deleteTexts = try prepare(
      "DELETE FROM adopted_text WHERE catalogs NOT IN (SELECT catalogs FROM adoption)")
  }
}
