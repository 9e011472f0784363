import GRDB
import Store

/// A row of `retry`, verified by its checksum. Statements change many rows at once, so SQL
/// functions compute and compare the checksums.
enum RetryRow {
  /// The columns that the checksum covers.
  private static let columnNames = TableDescription.retry.columns.map(\.name)

  /// The columns of a new row, in order.
  static let columns = "(\(SQLiteTable.retry.columnList))"

  /// The values of a new row that is not in flight: expressions in the order of the columns.
  static func values(
    _ notification: String, _ channel: String, sink: String, attempts: String = "0", due: String,
    reason: String = "''", deaths: String = "0", withdrawn: String = "NULL"
  ) -> String {
    let values = [
      notification, channel, sink, attempts, due, reason, "NULL", deaths, withdrawn,
    ]
    return values.joined(separator: ", ") + ", " + sum(values)
  }

  /// An UPDATE that sets columns to expressions in the matching rows and verifies their checksums.
  static func update(_ changes: KeyValuePairs<String, String>, where condition: String) -> String {
    let sets = changes.map { "\($0) = \($1)" }.joined(separator: ", ")
    let newValues = Dictionary(uniqueKeysWithValues: changes.map { ($0, $1) })
    return "UPDATE retry SET \(sets), checksum = \(sum(columnNames.map { newValues[$0] ?? $0 })) "
      + "WHERE \(condition) AND \(isIntact())"
  }

  /// A condition that verifies a row's checksum. A damaged row ends the statement with an error.
  static func isIntact(_ alias: String = "retry") -> String {
    let columns = columnNames.map { "\(alias).\($0)" }.joined(separator: ", ")
    return "row_is_intact('retry', \(alias).checksum, \(columns))"
  }

  private static func sum(_ values: [String]) -> String {
    "row_sum(\(values.joined(separator: ", ")))"
  }
}

/// SQL functions that compute and compare checksums.
enum ChecksumFunctions {
  /// Adds `row_sum(values...)` and `row_is_intact(table, checksum, values...)`. In the latter, the
  /// first two values identify the row.
  static func add(to database: Database) {
    database.add(
      function: DatabaseFunction("row_sum", pure: true) { values in
        sum(values[...])
      })
    database.add(
      function: DatabaseFunction("row_is_intact", pure: true) { values in
        guard values.count > 3, sum(values[2...]) == Int64.fromDatabaseValue(values[1]) else {
          throw damage(values)
        }
        return true
      })
  }

  private static func sum(_ values: ArraySlice<DatabaseValue>) -> Int64 {
    var sum = Checksum()
    for value in values {
      switch value.storage {
      case .int64(let number): sum.add(number)
      case .string(let text): sum.add(text)
      case .blob(let data): sum.add(Array(data))
      case .double(let number): sum.add(Int64(bitPattern: number.bitPattern))
      case .null: sum.add(nil)
      }
    }
    return sum.value
  }

  private static func damage(_ values: [DatabaseValue]) -> DatabaseError {
    let table = values.first.flatMap(String.fromDatabaseValue) ?? ""
    let key = values.dropFirst(2).prefix(2).map { "\($0)" }.joined(separator: ", ")
    return DatabaseError(
      resultCode: .SQLITE_CORRUPT, message: DamagedRow(table, key).description)
  }
}
