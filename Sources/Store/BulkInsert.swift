import GRDB

/// Inserts many rows with few runs of a statement: a run by itself costs as much as several rows,
/// and within one SQLite goes from row to row without looking for the place anew.
final class BulkInsert {
  /// More are hardly faster.
  private static let rowsPerRun = 32

  private let columns: Int32
  private let many: HotStatement
  private let one: HotStatement

  /// - Parameters:
  ///   - insert: the statement up to the table's name.
  ///   - conflict: what is to become of a row that is there already, if not an error.
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

  /// Inserts so many rows, in order.
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
