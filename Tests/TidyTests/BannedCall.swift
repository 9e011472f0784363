/// Code that is banned in some part of the project, and its replacement.
struct BannedCall: Sendable {
  /// Where the code is banned.
  enum Location: Sendable {
    case sources
    /// Sources that other packages do not import.
    case ownModules
    case libraries, pureTargets
    /// The target `Reminders`.
    case core
    case tests
  }

  enum Exception: Sendable {
    /// The call passes an argument with this label.
    case argument(String)
    /// The code is a member of a value, not of a type: a value precedes its dot.
    case memberOfValue
  }

  let code: String
  let location: Location
  let exception: Exception?
  let instead: String
  private let needle: [Token]

  init(_ code: String, in location: Location, unless exception: Exception? = nil, instead: String) {
    self.code = code
    self.location = location
    self.exception = exception
    self.instead = instead
    needle = Token.all(in: code)
  }

  func violations(in file: ProjectFile) -> [Violation] {
    guard applies(to: file) else { return [] }
    return file.tokens.indices
      .filter { matches(file.tokens, at: $0) && !isExcepted(file.tokens, at: $0) }
      .map { file.violation(line: file.tokens[$0].line, "`\(code)` is banned here: \(instead)") }
  }

  private func applies(to file: ProjectFile) -> Bool {
    switch location {
    case .sources: file.isInSources
    case .ownModules:
      file.isInSources && file.target.map { !Layout.products.contains($0) } ?? true
    case .libraries: file.target.map { !Layout.programs.contains($0) } ?? false
    case .pureTargets: file.target.map(Layout.pureTargets.contains) ?? false
    case .core: file.target == "Reminders"
    case .tests: file.isInTests
    }
  }

  private func matches(_ tokens: [Token], at start: Int) -> Bool {
    guard tokens[start].text == needle[0].text, start + needle.count <= tokens.count else {
      return false
    }
    return needle.indices.dropFirst().allSatisfy { offset in
      let index = start + offset
      return tokens[index].text == needle[offset].text
        && tokens.touchesPrevious(at: index) == needle.touchesPrevious(at: offset)
    }
  }

  private func isExcepted(_ tokens: [Token], at start: Int) -> Bool {
    if needle[0].isWord, isDeclaredHere(tokens, at: start) { return true }
    return switch exception {
    case nil: false
    case .memberOfValue: tokens.touchesPrevious(at: start) && tokens[start - 1].endsValue
    case .argument(let label): passes(label, in: tokens, from: start + needle.count - 1)
    }
  }

  /// Whether the word is declared here, or is a member of something other than a system module.
  private func isDeclaredHere(_ tokens: [Token], at start: Int) -> Bool {
    guard tokens.isMember(at: start) else { return start > 0 && tokens[start - 1].text == "func" }
    return start < 2 || !Self.systemModules.contains(tokens[start - 2].text)
  }

  /// Whether the call whose arguments begin at `open` has an argument with the label.
  private func passes(_ label: String, in tokens: [Token], from open: Int) -> Bool {
    guard let close = tokens.closing(ofOpeningAt: open) else { return false }
    return (open..<close).contains { tokens[$0].text == label && tokens[$0 + 1].text == ":" }
  }

  private static let systemModules: Set = ["Dispatch", "Foundation", "Glibc", "Swift"]
}

extension Token {
  /// Whether the token can be the last of an expression.
  fileprivate var endsValue: Bool {
    isWord || [")", "]", "?", "!", ">", "\""].contains(text)
  }
}
