import Foundation
import Testing

/// A file of SQL texts that a store must produce, one on each line.
///
/// To accept a deliberate change, run the test with `CHIMED_ACCEPT_SQL=1` and read the difference.
struct ExpectedSQL {
  private let file: URL

  init(_ name: String) {
    file =
      URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../ExpectedSQL/\(name).sql").standardized
  }

  /// Compares texts with those of the file, in any order.
  func check(_ texts: [String]) throws {
    let lines = texts.map { Self.line($0) + ";" }
    if ProcessInfo.processInfo.environment["CHIMED_ACCEPT_SQL"] != nil {
      try (lines.joined(separator: "\n") + "\n").write(to: file, atomically: true, encoding: .utf8)
    }
    let expected = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      .map(String.init)
    #expect(Set(lines).subtracting(expected) == [], "not in \(file.lastPathComponent)")
    #expect(Set(expected).subtracting(lines) == [], "only in \(file.lastPathComponent)")
  }

  /// Returns the text without comments and with single spaces. Equal rows of parameters become one
  /// row and an ellipsis.
  static func line(_ text: String) -> String {
    text.replacing(/--[^\n]*/, with: "").replacing(/\s+/, with: " ")
      .replacing("( ", with: "(").replacing(" )", with: ")")
      .replacing(/(\([?, ]+\))(?:, \1)+/) { "\($0.1), ..." }
      .trimmingCharacters(in: .whitespaces)
  }

  /// Returns the statements of a script that create tables and indices.
  static func objects(in script: String) -> [String] {
    let statements = script.replacing(/--[^\n]*/, with: "").split(separator: ";")
    return statements.map { line(String($0)) }.filter {
      $0.starts(with: #/CREATE (?:TABLE|INDEX|UNIQUE INDEX) /#)
    }
  }
}
