import GRDB

/// Looks many keys up with few runs of a statement: a run by itself costs as much as several
/// look-ups, and keys in the order of their table meet the same pages one after the other.
final class BulkSelect {
  private static let keysPerRun = 16

  private let many: HotStatement
  private let one: HotStatement

  /// - Parameters:
  ///   - columns: of the join and of `wanted`, whose only column is `key`.
  ///   - join: what `wanted` is joined with.
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

  /// Reads what so many keys find, in the order of the keys.
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
