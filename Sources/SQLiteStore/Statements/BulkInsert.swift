import GRDB

/// Inserts many rows with few runs of a statement. A run costs as much as several rows, and within
/// a run SQLite moves from row to row without a new search.
final class BulkInsert {
  /// The number of rows per run. A higher number is hardly faster.
  private static let rowsPerRun = 32

  private let columnCount: Int32
  /// Inserts `rowsPerRun` rows.
  private let fullRun: HotStatement
  /// Inserts one row.
  private let singleRow: HotStatement

  /// - Parameters:
  ///   - verb: `INSERT`, or with a conflict action, such as `INSERT OR REPLACE`.
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

  /// - Parameters:
  ///   - insert: the statement up to the values.
  ///   - columns: the number of columns.
  ///   - conflict: the ON CONFLICT clause; empty for an error.
  init(
    _ database: Database, _ insert: String, columns: Int, onConflict conflict: String = ""
  ) throws {
    func statement(rows count: Int) throws -> HotStatement {
      let row = "(" + Array(repeating: "?", count: columns).joined(separator: ", ") + ")"
      let rows = Array(repeating: row, count: count).joined(separator: ", ")
      return try HotStatement(database, "\(insert) VALUES \(rows) \(conflict)")
    }
    columnCount = Int32(columns)
    fullRun = try statement(rows: Self.rowsPerRun)
    singleRow = try statement(rows: 1)
  }

  /// Inserts `count` rows, in order.
  ///
  /// - Parameter bind: binds the values of a row, given by its index, to positions from 1 on.
  /// - Returns: for each run that did not write all its rows, the range of all rows of the run.
  func run(_ count: Int, bind: (HotStatement, Int) -> Void) throws -> [Range<Int>] {
    var incomplete: [Range<Int>] = []
    var index = 0
    while index < count {
      let isFull = count - index >= Self.rowsPerRun
      let statement = isFull ? fullRun : singleRow
      let rows = index..<(isFull ? index + Self.rowsPerRun : index + 1)
      for row in rows {
        statement.offset = Int32(row - index) * columnCount
        bind(statement, row)
      }
      try statement.run()
      if statement.changes < rows.count { incomplete.append(rows) }
      index = rows.upperBound
    }
    return incomplete
  }
}
