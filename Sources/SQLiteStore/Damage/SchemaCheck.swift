import GRDB
import Store

/// Compares the schema of a database with that of a new store: an added trigger or view could
/// change or reveal data.
enum SchemaCheck {
  /// - Throws: `damaged`, with the first difference.
  static func check(_ database: Database, file: String) throws {
    let expected = try DatabaseQueue().write { database in
      try Schema.create(database)
      return try parts(of: database)
    }
    let actual = try parts(of: database)
    for part in Set(expected.keys).union(actual.keys).sorted()
    where expected[part] != actual[part] {
      let fault =
        switch (expected[part], actual[part]) {
        case (nil, _): "it has the \(part), which chimed does not make"
        case (_, nil): "it lacks the \(part)"
        default: "its \(part) is not as chimed makes it"
        }
      throw StoreError.damaged(file: file, reason: fault)
    }
  }

  /// The statements of the schema, by their objects ("table event"). Tables and indices that SQLite
  /// creates itself are omitted.
  private static func parts(of database: Database) throws -> [String: [Unicode.Scalar]] {
    // SQLite itself creates no triggers or views, and its own indices have no statement. Any other
    // object with a name like SQLite's own is forged. The schema may also contain values of wrong
    // types.
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT coalesce(type, '') || ' ' || coalesce(name, '') AS part,
          CAST(coalesce(sql, '') AS TEXT) AS sql
        FROM sqlite_schema
        WHERE NOT (type IS 'table' AND name LIKE 'sqlite\\_%' ESCAPE '\\')
          AND NOT (type IS 'index' AND sql IS NULL)
        """)
    var parts: [String: [Unicode.Scalar]] = [:]
    for row in rows { parts[row["part"]] = normalized(of: row["sql"]) }
    return parts
  }

  /// A statement without comments, and with single spaces outside quotes.
  ///
  /// The result has Unicode scalars and not characters, for two reasons. In SQLite, a comment ends
  /// only at a line feed, which is not a separate `Character` after a carriage return. Strings that
  /// are canonically equivalent must differ.
  private static func normalized(of statement: String) -> [Unicode.Scalar] {
    var normalized: [Unicode.Scalar] = []
    var remaining = Array(statement.unicodeScalars)[...]
    while let first = remaining.first {
      if let end = closingQuotes[first] {
        let text = remaining.dropFirst().prefix { $0 != end }
        normalized += remaining[..<min(text.endIndex + 1, remaining.endIndex)]
        remaining = remaining[min(text.endIndex + 1, remaining.endIndex)...]
      } else if remaining.starts(with: ["-", "-"]) {
        remaining = remaining.drop { $0 != "\n" }
      } else {
        let isSpace = [" ", "\n"].contains(first)
        if !isSpace || normalized.last != " " { normalized.append(isSpace ? " " : first) }
        remaining = remaining.dropFirst()
      }
    }
    return normalized
  }

  /// The scalar that ends a literal or a quoted name, by the scalar that begins it.
  private static let closingQuotes: [Unicode.Scalar: Unicode.Scalar] = [
    "'": "'", "\"": "\"", "`": "`", "[": "]",
  ]
}
