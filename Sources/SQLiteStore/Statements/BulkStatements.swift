import GRDB

/// Inserts many rows with few runs of a statement. A run costs as much as several rows, and within
/// a run SQLite moves from row to row without a new search.
final class BulkInsert {
  /// A higher number is hardly faster.
  private static let rowsPerRun = 32

  private let columns: Int32
  private let many: HotStatement
  private let one: HotStatement

  /// - Parameters:
  ///   - verb: `INSERT`, with what happens in a conflict.
  ///   - table: the table; all its columns are written.
  ///   - conflict: the ON CONFLICT clause; empty for an error.
  convenience init(
    _ database: Database, _ verb: String, into table: SQLiteTable,
    onConflict conflict: String = ""
  ) throws {
    try self.init(
      database, "\(verb) INTO \(table.name) (\(table.list))", columns: table.columns.count,
      onConflict: conflict)
  }

  /// - Parameter insert: the statement up to the values.
  init(
    _ database: Database, _ insert: String, columns: Int, onConflict conflict: String = ""
  ) throws {
    func statement(rows count: Int) throws -> HotStatement {
      let row = "(" + Array(repeating: "?", count: columns).joined(separator: ", ") + ")"
      let rows = Array(repeating: row, count: count).joined(separator: ", ")
      return try HotStatement(database, "\(insert) VALUES \(rows) \(conflict)")
    }
    self.columns = Int32(columns)
    many = try statement(rows: Self.rowsPerRun)
    one = try statement(rows: 1)
  }

  /// Inserts `count` rows, in order.
  ///
  /// - Parameter bind: binds the values of the row with an index, by position from 1.
  /// - Returns: the rows of those runs that did not write all of theirs.
  func run(_ count: Int, bind: (HotStatement, Int) -> Void) throws -> [Range<Int>] {
    var incomplete: [Range<Int>] = []
    var index = 0
    while index < count {
      let isFull = count - index >= Self.rowsPerRun
      let statement = isFull ? many : one
      let rows = index..<(isFull ? index + Self.rowsPerRun : index + 1)
      for row in rows {
        statement.offset = Int32(row - index) * columns
        bind(statement, row)
      }
      try statement.run()
      if statement.changes < rows.count { incomplete.append(rows) }
      index = rows.upperBound
    }
    return incomplete
  }
}

/// Looks up many keys with few runs of a statement. A run costs as much as several lookups, and
/// keys in the order of their table find the same pages in sequence.
final class BulkSelect {
  private static let keysPerRun = 16

  private let many: HotStatement
  private let one: HotStatement

  /// - Parameters:
  ///   - columns: columns of the join and of `wanted`, whose only column is `key`.
  ///   - join: the tables to join with `wanted`.
  init(_ database: Database, _ columns: String, from join: String) throws {
    func statement(keys count: Int) throws -> HotStatement {
      let keys = Array(repeating: "(?)", count: count).joined(separator: ", ")
      return try HotStatement(
        database,
        "WITH wanted(key) AS (VALUES \(keys)) SELECT \(columns) FROM wanted CROSS JOIN \(join)")
    }
    many = try statement(keys: Self.keysPerRun)
    one = try statement(keys: 1)
  }

  /// Reads the rows found for `count` keys, in the order of the keys.
  ///
  /// - Parameter bind: binds the key with an index, at a position.
  func rows(
    _ count: Int, bind: (HotStatement, Int32, Int) -> Void, read: (HotStatement) throws -> Void
  ) throws {
    var index = 0
    while index < count {
      let isFull = count - index >= Self.keysPerRun
      let statement = isFull ? many : one
      let end = isFull ? index + Self.keysPerRun : index + 1
      for key in index..<end { bind(statement, Int32(key - index + 1), key) }
      try statement.rows(read)
      index = end
    }
  }
}

/// The prepared statements that look up many keys at a time.
final class BulkStatements {
  let recipientsByRow: BulkSelect
  let rowsByName: BulkSelect
  let identities: BulkSelect

  init(_ database: Database) throws {
    recipientsByRow = try BulkSelect(
      database, RecipientRow.columns,
      from: """
        recipient r ON r.id = wanted.key CROSS JOIN schedule s ON s.recipient = wanted.key
        """)
    rowsByName = try BulkSelect(database, "r.id", from: "recipient r ON r.name = wanted.key")
    identities = try BulkSelect(
      database, "wanted.key", from: "event_identity i ON i.hash = wanted.key")
  }
}
