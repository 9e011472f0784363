import GRDB

/// Inserts many rows with few runs of a statement. A run costs as much as several rows, and within
/// a run SQLite moves from row to row without a new search.
final class BulkInsert {
  /// The number of rows per run. A higher number is hardly faster.
  private static let rowsPerRun = 32

  private let columns: Int32
  private let many: HotStatement
  private let one: HotStatement

  /// - Parameters:
  ///   - verb: `INSERT`, with the action upon a conflict.
  ///   - table: the table; all its columns are written.
  ///   - conflict: the ON CONFLICT clause; empty for an error.
  convenience init(
    _ database: Database, _ verb: String, into table: SQLiteTable,
    onConflict conflict: String = ""
  ) throws {
    try self.init(
      database, "\(verb) INTO \(table.name) (\(table.columnList))", columns: table.columns.count,
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
  /// - Returns: the ranges of rows of the runs that did not write all their rows.
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
