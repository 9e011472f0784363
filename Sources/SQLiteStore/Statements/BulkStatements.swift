import GRDB

/// Looks up many keys with few runs of a statement. A run costs as much as several lookups. If the
/// keys are in the order of their table, successive lookups read the same pages.
final class BulkSelect {
  private static let keysPerRun = 16

  /// Looks up `keysPerRun` keys.
  private let fullRun: HotStatement
  /// Looks up one key.
  private let singleKey: HotStatement

  /// - Parameters:
  ///   - columns: the columns to select from `join` and from `wanted`, whose only column is `key`.
  ///   - join: the tables to join with `wanted`.
  init(_ database: Database, _ columns: String, from join: String) throws {
    func statement(keys count: Int) throws -> HotStatement {
      let keys = Array(repeating: "(?)", count: count).joined(separator: ", ")
      return try HotStatement(
        database,
        "WITH wanted(key) AS (VALUES \(keys)) SELECT \(columns) FROM wanted CROSS JOIN \(join)")
    }
    fullRun = try statement(keys: Self.keysPerRun)
    singleKey = try statement(keys: 1)
  }

  /// Reads the rows found for `count` keys, in the order of the keys.
  ///
  /// - Parameter bind: binds a key to a position. Its arguments are the statement, the position,
  ///   and the key's index.
  func rows(
    _ count: Int, bind: (HotStatement, Int32, Int) -> Void, read: (HotStatement) throws -> Void
  ) throws {
    var index = 0
    while index < count {
      let isFull = count - index >= Self.keysPerRun
      let statement = isFull ? fullRun : singleKey
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
  /// Selects the rows of recipients by their names.
  let rowsByName: BulkSelect
  /// Selects the given slots that are in use.
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
