/// Why a text is not acceptable JSON, and where.
package struct JSONError: Error, Hashable, Sendable {
  /// What is wrong, without the place.
  package var reason: String
  /// How many bytes come before the place, if it is known.
  package var offset: Int?
  /// The line of the place, from 1.
  package var line: Int?
  /// The column of the place in characters (Unicode scalars), from 1.
  package var column: Int?
  /// The member concerned, like "data.items[2].id", when the place is known as a path only.
  package var path: String?

  package init(
    _ reason: String, offset: Int? = nil, line: Int? = nil, column: Int? = nil,
    path: String? = nil
  ) {
    self.reason = reason
    self.offset = offset
    self.line = line
    self.column = column
    self.path = path
  }
}

extension JSONError: CustomStringConvertible {
  /// One readable line: "line 1, column 17: expected a value", "data.id is given twice".
  package var description: String {
    if let line, let column { return "line \(line), column \(column): \(reason)" }
    if let path { return "\(path) \(reason)" }
    return reason
  }
}
