/// One thing that is wrong in a file of holidays, and where.
package struct HolidayDiagnostic: Error, Hashable, Sendable {
  package let file: String
  /// From 1; 0 where the file as a whole is meant.
  package let line: Int
  package let message: String

  package init(file: String, line: Int = 0, message: String) {
    self.file = file
    self.line = line
    self.message = message
  }
}

extension HolidayDiagnostic: CustomStringConvertible {
  package var description: String {
    line > 0 ? "\(file):\(line): \(message)" : "\(file): \(message)"
  }
}

/// Everything that is wrong in the files of holidays; all of it at once, not only the first.
package struct HolidayErrors: Error, Hashable, Sendable, CustomStringConvertible {
  package let diagnostics: [HolidayDiagnostic]

  package init(_ diagnostics: [HolidayDiagnostic]) {
    self.diagnostics = diagnostics
  }

  package var description: String {
    diagnostics.map(\.description).joined(separator: "\n")
  }
}
