/// One thing that is wrong in a catalog file, and where.
package struct Diagnostic: Error, Hashable, Sendable, CustomStringConvertible {
  package let file: String
  /// From 1; 0 where the file has no such place.
  package let line: Int
  package let column: Int
  package let message: String

  package init(file: String, line: Int = 0, column: Int = 0, message: String) {
    self.file = file
    self.line = line
    self.column = column
    self.message = message
  }

  package var description: String {
    line > 0 ? "\(file):\(line):\(column): \(message)" : "\(file): \(message)"
  }
}

/// Everything that is wrong in the catalog files; all of it at once, not only the first.
package struct CatalogErrors: Error, CustomStringConvertible {
  package let diagnostics: [Diagnostic]

  package init(diagnostics: [Diagnostic]) {
    self.diagnostics = diagnostics
  }

  package var description: String {
    diagnostics.map(\.description).joined(separator: "\n")
  }
}
