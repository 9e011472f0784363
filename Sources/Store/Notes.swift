import GRDB

/// The words that the store notes for itself, each of which is what was written.
enum Notes {
  static let select = "SELECT value, checksum FROM meta WHERE key = ?1"
  static let replace = "INSERT OR REPLACE INTO meta VALUES (?1, ?2, ?3)"

  /// What reads and writes notes before there are prepared statements.
  static func text(_ key: String, in database: Database) throws -> String? {
    try text(key, HotStatement(database, select))
  }

  /// A note that is a number.
  static func number(_ key: String, in database: Database) throws -> Int64? {
    try text(key, in: database).map { text in
      guard let number = Int64(text) else { throw DamagedRow("meta", key) }
      return number
    }
  }

  static func write(_ key: String, _ value: String, in database: Database) throws {
    try write(key, value, HotStatement(database, replace))
  }

  /// - Parameter select: prepared of `select`.
  static func text(_ key: String, _ select: HotStatement) throws -> String? {
    select.bind(1, key)
    return try select.first { row in
      let text = row.text(0)
      guard checksum(key, text) == row.integer(1) else { throw DamagedRow("meta", key) }
      return text
    }
  }

  /// - Parameter replace: prepared of `replace`.
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
