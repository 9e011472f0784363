/// A text file of the project, prepared for the rules.
struct ProjectFile: Sendable {
  /// The path from the top of the checkout, with slashes.
  let path: String
  let text: String
  let lines: [Substring]
  /// The tokens of a Swift file; empty for any other file.
  let tokens: [Token]
  /// The functions of a Swift file; empty for any other file.
  let functions: [SwiftFunction]

  init(_ path: String, _ text: String) {
    self.path = path
    self.text = text
    lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    tokens = path.hasSuffix(".swift") ? Token.all(in: SwiftCode.only(of: text)) : []
    functions = SwiftFunction.all(in: tokens)
  }

  var isInSources: Bool { path.hasPrefix("Sources/") }
  var isInTests: Bool { path.hasPrefix("Tests/") }
  var isMarkdown: Bool { path.hasSuffix(".md") }

  /// Whether the file is handwritten code in any language.
  var isCode: Bool {
    let endings = [".swift", ".c", ".cc", ".cpp", ".h", ".py", ".sh", "Makefile", ".ci/run"]
    return endings.contains(where: path.hasSuffix)
  }

  /// The target of the file, such as `Store` for `Sources/Store/Port.swift`; nil outside `Sources`.
  var target: String? {
    let parts = path.split(separator: "/")
    return isInSources && parts.count > 2 ? String(parts[1]) : nil
  }

  /// The lines with their numbers, counted from 1.
  var numberedLines: [(number: Int, text: Substring)] {
    lines.enumerated().map { ($0.offset + 1, $0.element) }
  }

  func violation(line: Int, _ message: String) -> Violation {
    Violation(path: path, line: line, message: message)
  }
}
