import Postgres
import Reminders
import Store

extension AttemptRow {
  /// The columns of an attempt `a` that a statement must select, in this order.
  static let columns = PostgresTable.attempt.list(of: "a", from: "notification")

  /// Converts a result's row, which begins with `columns`.
  static func attempt(_ row: PostgresRow) throws -> Attempt {
    var reader = ColumnReader(row)
    guard let attemptRow = AttemptRow(from: &reader) else {
      throw UnreadableRow("attempt", "notification", row.integer(0))
    }
    return attemptRow.attempt
  }

  /// The columns of a new row without the shard.
  static let insertedColumns = TableDescription.attempt.columns.list()
  /// An empty set of rows with `insertedColumns`, to be filled.
  static let emptyRows = PostgresTable.attempt.rows(from: "notification")
}
