import Store

/// A table of the database: the columns that every store has, and those that only SQLite has.
struct SQLiteTable {
  let name: String
  let columns: [ColumnDescription]
  /// The names of the columns, for statements.
  let columnList: String
  /// The description that the columns come from.
  private let description: TableDescription
  /// Whether SQLite numbers the rows.
  private let hasRowID: Bool

  /// - Parameters:
  ///   - omitted: a column of the description that SQLite's table does not have.
  ///   - checksums: the columns with checksums, which only SQLite has.
  ///   - first: the column that the checksums precede; nil if they are last. A column with a long
  ///     value follows the checksums, so that reading them does not read that value.
  ///   - hasRowID: whether SQLite numbers the rows; nil means true if the key is a single number,
  ///     otherwise false.
  private init(
    _ table: TableDescription, without omitted: String? = nil,
    checksums: [ColumnDescription] = [.integer("checksum")], before first: String? = nil,
    hasRowID: Bool? = nil
  ) {
    name = table.name
    description = table
    var columns = table.columns.filter { $0.name != omitted }
    columns.insert(
      contentsOf: checksums, at: columns.firstIndex { $0.name == first } ?? columns.endIndex)
    self.columns = columns
    columnList = columns.list()
    self.hasRowID = hasRowID ?? (table.key.count == 1 && columns[0].kind == .integer)
  }

  /// Returns the names of the columns from the given one on, qualified with an alias of the table.
  ///
  /// - Parameter first: the first column; nil for all.
  func list(of alias: String, from first: String? = nil) -> String {
    columns[(columns.firstIndex { $0.name == first } ?? 0)...].list(of: alias)
  }

  /// Returns a statement that inserts one row.
  ///
  /// - Parameter verb: `INSERT`, or with a conflict action, such as `INSERT OR REPLACE`.
  func insertion(_ verb: String) -> String {
    let values = columns.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
    return "\(verb) INTO \(name) (\(columnList)) VALUES (\(values))"
  }

  // MARK: - Creation

  /// A statement that creates the table.
  var creation: String {
    var lines = columns.map(definition)
    if description.key.count > 1 {
      lines.append("  PRIMARY KEY (\(description.key.joined(separator: ", ")))")
    }
    return """
      \(description.commentLines)CREATE TABLE \(name) (
      \(lines.joined(separator: ",\n"))
      ) STRICT\(hasRowID ? "" : ", WITHOUT ROWID");

      """
  }

  private func definition(_ column: ColumnDescription) -> String {
    "\(column.commentLine)  \(column.name) \(type(of: column))\(constraint(of: column))"
  }

  private func type(of column: ColumnDescription) -> String {
    switch column.kind {
    case .integer, .mediumInteger, .smallInteger, .flag: "INTEGER"
    case .text, .name: "TEXT"
    case .bytes: "BLOB"
    }
  }

  private func constraint(of column: ColumnDescription) -> String {
    if description.key == [column.name] {
      return " PRIMARY KEY" + (description.isNumbered ? " AUTOINCREMENT" : "")
    }
    return (column.isOptional ? "" : " NOT NULL") + (column.kind == .name ? " UNIQUE" : "")
  }
}

extension SQLiteTable {
  static let recipient = SQLiteTable(
    .recipient,
    checksums: [
      .integer(
        "checksum", "Covers the number, the name and the last event; the facts have their own."),
      .integer("facts_checksum"),
    ], before: "facts")
  static let request = SQLiteTable(.request, before: "requests")
  static let factBase = SQLiteTable(.factBase, before: "base")
  static let schedule = SQLiteTable(.schedule, before: "progress")
  /// The table `phone`. It needs no checksum: a recipient that a damaged row finds has another
  /// number, and is left out.
  static let phone = SQLiteTable(.phone, checksums: [])
  static let tombstone = SQLiteTable(.tombstone, checksums: [])
  static let token = SQLiteTable(.token)
  static let adoption = SQLiteTable(.adoption)
  static let adoptedText = SQLiteTable(.adoptedText, hasRowID: true)

  /// The table `event`, without the identity: identities are in the table `event_identity`.
  static let event = SQLiteTable(.event, without: "identity")
  static let message = SQLiteTable(.message)
  static let notification = SQLiteTable(.notification)
  /// The table `inbox`. The checksum does not cover `read`, which changes for many items at a time.
  static let inbox = SQLiteTable(.inbox)

  static let lane = SQLiteTable(.lane, hasRowID: true)
  static let retry = SQLiteTable(.retry)
  static let attempt = SQLiteTable(.attempt)

  static let analytics = SQLiteTable(.analytics, checksums: [])
  static let usage = SQLiteTable(.usage, checksums: [])
}
