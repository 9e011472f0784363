import GRDB
import Store

/// Compares the schema of a database with that of a new store: an added trigger or view could
/// change or reveal data.
enum SchemaCheck {
  /// - Throws: the first difference.
  static func check(_ database: Database, file: String) throws {
    let own = try DatabaseQueue().write { database in
      try Schema.create(database)
      return try parts(of: database)
    }
    let found = try parts(of: database)
    for part in Set(own.keys).union(found.keys).sorted() where own[part] != found[part] {
      let fault =
        switch (own[part], found[part]) {
        case (nil, _): "it has the \(part), which chimed does not make"
        case (_, nil): "it lacks the \(part)"
        default: "its \(part) is not as chimed makes it"
        }
      throw StoreError.damaged(file: file, reason: fault)
    }
  }

  /// The statements of the schema, by their objects ("table event"), without comments and with
  /// single spaces. Objects that SQLite creates itself are omitted.
  private static func parts(of database: Database) throws -> [String: String] {
    var parts: [String: String] = [:]
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT type || ' ' || name AS part, coalesce(sql, '') AS sql FROM sqlite_schema
        WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
        """)
    for row in rows {
      let (part, statement): (String, String) = (row["part"], row["sql"])
      let lines: [Substring] = statement.split(separator: "\n").map { line in
        guard let comment = line.firstRange(of: "--") else { return line }
        return line.prefix(upTo: comment.lowerBound)
      }
      let words = lines.flatMap { line in line.split(separator: " ").map { String($0) } }
      parts[part] = words.joined(separator: " ")
    }
    return parts
  }
}
