import GRDB
import Store

/// Compares what a database is made of with what a store is made of: a trigger or a view would do
/// or tell something that nobody here has written.
enum SchemaCheck {
  /// - Throws: the first thing that is not as it is made here.
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

  /// The statements that make it, by what they make ("table event"), without comments and in words
  /// with one space between. What SQLite makes for itself is left out.
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
