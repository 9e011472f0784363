import Access
import CivilTime
import GRDB
import Reminders
import Store

/// The queries and changes of one transaction. Read-only connections use only the queries.
struct StoreTransaction: StoreWriter {
  let statements: Statements

  init(_ statements: Statements) {
    self.statements = statements
  }
}

extension StoreTransaction {
  /// The public id of a notification.
  func identifier(of notification: Int64) -> String {
    NotificationID(statements.instance, notification).description
  }

  func note(_ key: String) throws -> String? {
    try Notes.text(key, statements.meta)
  }

  func save(notes: [String: String]) throws {
    for (key, value) in notes { try saveNote(key, value) }
  }

  func saveNote(_ key: String, _ value: String) throws {
    try Notes.write(key, value, statements.upsertMeta)
  }
}

extension StoreTransaction {
  /// The key of the note about a clock that was set back. The note has the time at which the clock
  /// was trusted again, and the last event and notification before that time.
  private static let trustNote = "clock trusted"

  func newestRecord() throws -> Instant? {
    let note = try note(Self.trustNote)?.split(separator: " ").compactMap { Int64($0) } ?? []
    let trusted = note.count == 3 ? note : [0, 0, 0]
    statements.newestRecord.bind(1, trusted[1])
    statements.newestRecord.bind(2, trusted[2])
    let newest = try statements.newestRecord.first { $0.integer(0) } ?? 0
    let latest = max(newest, trusted[0])
    return latest > 0 ? Instant(milliseconds: latest) : nil
  }

  func trustClock(at now: Instant) throws {
    let values = [now.milliseconds, statements.nextEvent - 1, statements.nextNotification - 1]
    try saveNote(Self.trustNote, values.map(String.init).joined(separator: " "))
  }
}

extension StoreTransaction {
  func tokens() throws -> [TokenRecord] {
    var tokens: [TokenRecord] = []
    try statements.tokens.all.rows { tokens.append(try TokenRow.token($0)) }
    return tokens
  }

  func save(tokens: [TokenRecord]) throws {
    for token in tokens { try save(token) }
  }

  func token(_ identifier: String) throws -> TokenRecord? {
    statements.tokens.byIdentifier.bind(1, identifier)
    var found: TokenRecord?
    try statements.tokens.byIdentifier.rows { found = try TokenRow.token($0) }
    return found
  }

  func save(_ token: TokenRecord) throws {
    TokenRow.bind(token, to: statements.tokens.upsert)
    try statements.tokens.upsert.run()
  }
}

/// The prepared statements for access tokens.
final class TokenStatements {
  let all: HotStatement
  let byIdentifier: HotStatement
  let upsert: HotStatement
  let deleteOfScope: HotStatement

  init(_ database: Database) throws {
    let columns = SQLiteTable.token.columnList
    all = try HotStatement(database, "SELECT \(columns) FROM token ORDER BY created")
    byIdentifier = try HotStatement(database, "SELECT \(columns) FROM token WHERE id = ?1")
    upsert = try HotStatement(database, SQLiteTable.token.insertion("INSERT OR REPLACE"))
    deleteOfScope = try HotStatement(database, "DELETE FROM token WHERE scope = ?1")
  }
}

/// The store's own notes: texts in the table `meta`, each under a key, verified by checksums.
enum Notes {
  static let select = "SELECT value, checksum FROM meta WHERE key = ?1"
  static let replace = "INSERT OR REPLACE INTO meta VALUES (?1, ?2, ?3)"

  /// Reads a note before the store's statements are prepared; nil if there is none.
  static func text(_ key: String, in database: Database) throws -> String? {
    try text(key, HotStatement(database, select))
  }

  /// Reads a note that is a number.
  static func number(_ key: String, in database: Database) throws -> Int64? {
    try text(key, in: database).map { text in
      guard let number = Int64(text) else { throw DamagedRow("meta", key) }
      return number
    }
  }

  static func write(_ key: String, _ value: String, in database: Database) throws {
    try write(key, value, HotStatement(database, replace))
  }

  /// Reads a note by a prepared statement; nil if there is none.
  ///
  /// - Parameter select: a statement prepared from `select`.
  static func text(_ key: String, _ select: HotStatement) throws -> String? {
    select.bind(1, key)
    return try select.first { row in
      let text = row.text(0)
      guard checksum(key, text) == row.integer(1) else { throw DamagedRow("meta", key) }
      return text
    }
  }

  /// Writes a note by a prepared statement.
  ///
  /// - Parameter replace: a statement prepared from `replace`.
  static func write(_ key: String, _ value: String, _ replace: HotStatement) throws {
    replace.bind(1, key)
    replace.bind(2, value)
    replace.bind(3, checksum(key, value))
    try replace.run()
  }

  private static func checksum(_ key: String, _ value: String) -> Int64 {
    var sum = Checksum()
    sum.add(key)
    sum.add(value)
    return sum.value
  }
}
