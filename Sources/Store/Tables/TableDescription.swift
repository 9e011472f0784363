/// A table that every store has.
///
/// The schema of each store, the lists of columns in statements, and the copy of one store to
/// another follow from this description. A store may add other columns.
package struct TableDescription: Sendable {
  package let name: String
  /// The columns in the order in which rows are written and read.
  package let columns: [ColumnDescription]
  /// The names of the columns that identify a row.
  package let key: [String]
  /// Whether the database assigns the key, and never assigns a number twice.
  package let isNumbered: Bool
  /// The comment in the schema, a line for each sentence; nil if the name is enough.
  package let comment: String?

  /// The comment as lines of SQL; empty if there is none.
  package var commentLines: String {
    comment.map { $0.split(separator: "\n").map { "-- \($0)\n" }.joined() } ?? ""
  }

  /// - Parameter key: the columns that identify a row; nil for the first column.
  init(
    _ name: String, key: [String]? = nil, isNumbered: Bool = false, comment: String? = nil,
    columns: [ColumnDescription]
  ) {
    self.name = name
    self.columns = columns
    self.key = key ?? [columns[0].name]
    self.isNumbered = isNumbered
    self.comment = comment
  }
}

extension Sequence<ColumnDescription> {
  /// Returns the names of the columns, separated by commas.
  ///
  /// - Parameter alias: the alias of the table in the statement.
  package func list(of alias: String? = nil) -> String {
    let prefix = alias.map { "\($0)." } ?? ""
    return map { prefix + $0.name }.joined(separator: ", ")
  }
}
