package import CivilTime
package import Yams

/// A strict reader of YAML files. It reports each unknown key, invalid value and unknown name as a
/// diagnostic, and reads on to find other mistakes.
package protocol YAMLReading {
  /// The name of the file in diagnostics.
  var file: String { get }
  var diagnostics: [Diagnostic] { get set }
}

/// The maximum number of mistakes that are reported individually. If there are more, a last
/// diagnostic reports that there are more.
private let diagnosticsMax = 256

/// One entry of a mapping of names.
package struct YAMLEntry {
  package var name: String
  /// The node of the name, at which a wrong name is reported.
  package var key: Node
  package var value: Node
}

extension YAMLReading {
  /// Parses a file's text and returns its root. Reports anchors that no alias uses. Reports an
  /// empty or malformed file and returns nil.
  package mutating func compose(_ text: String) -> Node? {
    do {
      guard let root = try Yams.compose(yaml: text) else {
        diagnostics.append(
          Diagnostic(file: file, message: "the file is empty"))
        return nil
      }
      for explanation in SourceLines(text).unusedAnchors(in: root).prefix(diagnosticsMax) {
        let (position, message) = (explanation.position, explanation.message)
        diagnostics.append(
          Diagnostic(file: file, line: position.line, column: position.column, message: message))
      }
      return root
    } catch {
      let fault = Diagnostic(file: file, error: error, in: text)
      diagnostics.append(
        Diagnostic(
          file: file, line: fault.line, column: fault.column,
          message: Self.shortened(fault.message)))
      return nil
    }
  }

  // MARK: - Reporting

  /// Adds a diagnostic, unless there is an equal one: a part that several reminders share is read
  /// for each of them. Beyond `diagnosticsMax` mistakes, only the fact that there are more is
  /// reported, because each new diagnostic is compared with all others.
  package mutating func report(_ node: Node, _ message: String) {
    guard diagnostics.count <= diagnosticsMax else { return }
    let isLast = diagnostics.count == diagnosticsMax
    let mark = node.mark
    let diagnostic = Diagnostic(
      file: file, line: mark?.line ?? 0, column: mark?.column ?? 0,
      message: isLast ? "there are more mistakes; correct these first" : Self.shortened(message))
    if !diagnostics.contains(diagnostic) { diagnostics.append(diagnostic) }
  }

  /// Reports a value of another kind than a key needs.
  ///
  /// - Parameter subject: the words for the value in the diagnostic, such as its key.
  package mutating func report(_ node: Node, _ subject: String, mustBe kind: ExpectedKind) {
    report(node, "\(subject) \(kind.refusal(of: node))")
  }

  /// Limits the length of a message, which may quote any text of the file.
  private static func shortened(_ message: String) -> String {
    let beginning = message.unicodeScalars.prefix(2_000)
    return beginning.endIndex == message.endIndex ? message : String(beginning) + "…"
  }

  /// Returns a hint at the known word that resembles `word` most; empty beyond `diagnosticsMax`
  /// mistakes.
  package func hint(_ word: String, _ known: @autoclosure () -> [String]) -> String {
    diagnostics.count < diagnosticsMax ? Reminders.hint(word, known()) : ""
  }

  /// Returns a hint at the time, day or duration that a text resembles; empty beyond
  /// `diagnosticsMax`.
  package func hint(atMeaningOf node: Node) -> String {
    guard diagnostics.count < diagnosticsMax, let text = node.string else { return "" }
    return MeantValue.hint(text)
  }

  /// Sorts the diagnostics from an index on by their positions in the file.
  package mutating func sortDiagnostics(from start: Int) {
    let sorted = diagnostics[start...].enumerated().sorted { left, right in
      let (one, other) = (left.element, right.element)
      return (one.line, one.column, left.offset) < (other.line, other.column, right.offset)
    }
    diagnostics.replaceSubrange(start..., with: sorted.map(\.element))
  }

  // MARK: - Mappings

  /// Returns the members of a mapping by key. Reports unknown and missing members.
  package mutating func members(
    _ node: Node, of subject: String, _ keys: MappingKeys
  ) -> [String: Node] {
    guard let mapping = node.mapping else {
      report(node, subject, mustBe: .mapping)
      return [:]
    }
    let allowed = keys.names
    var members: [String: Node] = [:]
    for (key, value) in mapping {
      let name = key.string ?? ""
      if allowed.contains(name) {
        members[name] = value
      } else {
        reportUnknown(key, of: subject, allowed)
      }
    }
    for name in keys.requiredNames where members[name] == nil {
      report(node, "\(subject) needs \"\(name)\"")
    }
    return members
  }

  private mutating func reportUnknown(_ key: Node, of subject: String, _ allowed: [String]) {
    let name = key.string ?? ""
    let spacing = Spacing.corrected(name).map {
      "; a space is missing after the colon: write \($0.text)"
    }
    let known = " (known: \(allowed.joined(separator: ", ")))"
    report(
      key, "\(subject) has no \"\(name)\"" + (spacing ?? hint(name, allowed) + known))
  }

  /// Returns the entries of a mapping whose keys are names, in the order of the file.
  package mutating func entries(_ node: Node?, _ subject: String) -> [(String, Node)] {
    keyedEntries(node, subject).map { ($0.name, $0.value) }
  }

  /// Returns the entries with the nodes of their keys, at which a wrong name can be reported.
  package mutating func keyedEntries(_ node: Node?, _ subject: String) -> [YAMLEntry] {
    guard let node else { return [] }
    guard let mapping = node.mapping else {
      report(node, subject, mustBe: .names)
      return []
    }
    return mapping.compactMap { key, value in
      guard let name = key.string, !name.isEmpty, !name.contains(".") else {
        report(key, "a name in \(subject) must be a text without dots")
        return nil
      }
      return YAMLEntry(name: name, key: key, value: value)
    }
  }
}

extension Diagnostic {
  fileprivate init(file: String, error: any Error, in text: String) {
    guard let error = error as? YamlError,
      let explanation = SyntaxFault.explanation(of: error, in: text)
    else {
      self.init(file: file, message: "\(error)")
      return
    }
    self.init(
      file: file, line: explanation.position.line, column: explanation.position.column,
      message: explanation.message)
  }
}

extension YAMLReading {
  /// Reads a text that is not empty. Reports any other value and returns nil.
  package mutating func text(_ node: Node, _ subject: String) -> String? {
    guard let text = node.string, !text.isEmpty else {
      report(node, subject, mustBe: .text)
      return nil
    }
    return text
  }

  /// Reads a duration that is not negative. Reports any other value and returns nil.
  package mutating func span(_ node: Node, _ subject: String) -> TimeSpan? {
    guard let text = node.string, let span = TimeSpan(text), span.milliseconds >= 0 else {
      report(
        node,
        "\(subject) must be a duration such as 30m, 12h or 3d"
          + (node.wholeNumber.map { "; \($0) lacks a unit" } ?? hint(atMeaningOf: node)))
      return nil
    }
    return span
  }

  /// Reads a whole number. Reports any other value and returns nil.
  package mutating func number(_ node: Node, _ subject: String) -> Int64? {
    guard let number = node.wholeNumber else {
      report(node, "\(subject) must be a whole number" + Self.remark(on: node))
      return nil
    }
    return Int64(number)
  }

  /// Reads true or false. Reports any other value and returns nil.
  package mutating func toggle(_ node: Node, _ subject: String) -> Bool? {
    guard let isOn = node.bool else {
      report(node, "\(subject) must be true or false" + Self.remark(on: node))
      return nil
    }
    return isOn
  }

  /// Returns a description of a wrong value, with the correction if only its quotation marks are
  /// wrong.
  private static func remark(on node: Node) -> String {
    "; \(ExpectedKind.nature(of: node))" + remedy(forQuotesAt: node)
  }

  static func remedy(forQuotesAt node: Node) -> String {
    node.isQuoted ? "; remove the quotation marks" : ""
  }
}

/// A mistake in a YAML file, with its position.
package struct Diagnostic: Error, Hashable, Sendable, CustomStringConvertible {
  package let file: String
  /// The line, from 1; 0 if the mistake has no position.
  package let line: Int
  /// The column, from 1; 0 if the mistake has no position.
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

/// All mistakes in the catalog files.
package struct CatalogErrors: Error, CustomStringConvertible {
  package let diagnostics: [Diagnostic]

  package init(diagnostics: [Diagnostic]) {
    self.diagnostics = diagnostics
  }

  package var description: String {
    diagnostics.map(\.description).joined(separator: "\n")
  }
}
