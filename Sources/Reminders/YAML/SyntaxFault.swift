import Yams

/// A syntax error that the YAML parser found. Its explanation names the likely cause and the
/// correction, for authors who do not know YAML.
struct SyntaxFault {
  /// The parser's message.
  let problem: String
  /// The position at which the parser found the error.
  let mark: SourcePosition
  /// The construct that the parser was reading, such as "a block mapping"; empty if unknown.
  let context: String
  /// The beginning of that construct; nil if unknown.
  let start: SourcePosition?
  let lines: SourceLines

  /// The likely cause and the correction, with the position of the mistake.
  struct Explanation {
    var position: SourcePosition
    var message: String
  }

  /// The explanation of the first likely cause that applies; otherwise the parser's message.
  var explanation: Explanation {
    let explanationsByCause = [
      tab, noBreakSpace, sign, unclosedQuote, textAfterValue, bracket, colon, key, indentation,
      document, escape,
    ]
    for explanationIfApplicable in explanationsByCause {
      if let explanation = explanationIfApplicable() { return explanation }
    }
    return Explanation(position: mark, message: problem)
  }

  private var line: SourceLine { lines[mark.line] }

  /// Creates an explanation.
  ///
  /// - Parameter index: the index of the faulty character in the line.
  private func at(_ lineNumber: Int, _ index: Int, _ message: String) -> Explanation {
    Explanation(position: SourcePosition(line: lineNumber, column: index + 1), message: message)
  }

  /// Quotes an example from the file as YAML requires. A long example is replaced by an ellipsis.
  private static func quoted(_ text: String) -> String {
    guard text.unicodeScalars.count <= 60 else { return "\"…\"" }
    return text.contains("\"") ? "'\(text.replacing("'", with: "''"))'" : "\"\(text)\""
  }

  // MARK: - Space

  private func tab() -> Explanation? {
    guard let index = line.scalars.prefix(line.indentation).firstIndex(of: "\t") else { return nil }
    return at(
      mark.line, index, "a tab indents this line; YAML permits only spaces: replace it with spaces")
  }

  private func noBreakSpace() -> Explanation? {
    for number in [mark.line] + lines.contentLines(above: mark.line).prefix(1) {
      guard let index = lines[number].noBreakSpace else { continue }
      return at(number, index, "this is a no-break space; replace it with a usual space")
    }
    return nil
  }

  // MARK: - Texts that need quotation marks

  /// Explains a text that begins with a sign that has a meaning in YAML.
  private func sign() -> Explanation? {
    let contexts = ["an alias", "an anchor", "a block scalar", "a tag"]
    let problems = [
      "found character that cannot start any token", "found undefined alias",
      "block sequence entries are not allowed in this context",
      "mapping keys are not allowed in this context",
    ]
    if let start, contexts.contains(where: { context.hasSuffix($0) }) { return sign(at: start) }
    if problems.contains(problem) { return sign(at: mark) }
    if mark.line > 0, line.scalars.dropFirst(line.indentation).first == "%" {
      return at(mark.line, line.indentation, "a line must not begin with \"%\"; remove the line")
    }
    guard let value = line.valueIndex, line.scalars[value...].starts(with: "{{".unicodeScalars)
    else { return nil }
    return unquoted("{{", mark.line, value)
  }

  private func sign(at position: SourcePosition) -> Explanation? {
    let line = lines[position.line]
    guard line.scalars.indices.contains(position.column - 1) else { return nil }
    return unquoted(
      String(line.scalars[position.column - 1]), position.line, position.column - 1)
  }

  private func unquoted(_ sign: String, _ lineNumber: Int, _ index: Int) -> Explanation {
    let line = lines[lineNumber]
    let rest = sign == "{{" ? line.text(index..<line.scalars.count) : line.text(from: index)
    return at(
      lineNumber, index,
      "a text that begins with \(sign) needs quotation marks: write \(Self.quoted(rest))")
  }

  private func unclosedQuote() -> Explanation? {
    let message = "the quotation mark here is never closed; add one at the end of the text"
    if context.hasSuffix("a quoted scalar"), problem == "found unexpected end of stream", let start
    {
      let open = lines.openQuote(upTo: mark.line).flatMap { number in
        lines[number].quotes.last.map { at(number, $0, message) }
      }
      return open ?? at(start.line, start.column - 1, message)
    }
    guard let number = lines.openQuote(upTo: mark.line), number < mark.line,
      let index = lines[number].quotes.last, lines[number].beginsValue(at: index)
    else { return nil }
    return at(number, index, message)
  }

  /// Explains a text that continues after quotation marks or brackets, or a closing bracket without
  /// an opening one.
  private func textAfterValue() -> Explanation? {
    guard problem.hasPrefix("did not find expected"), line.scalars.count >= mark.column else {
      return nil
    }
    let next = line.scalars[mark.column - 1]
    if next == "}" || next == "]", !problem.contains(",") {
      return at(mark.line, mark.column - 1, "no bracket is open here; remove this \"\(next)\"")
    }
    let previous = line.scalars.prefix(mark.column - 1).last { $0 != " " }
    guard let previous, let value = line.valueIndex, value < mark.column - 1 else { return nil }
    switch previous {
    case "\"", "'":
      return at(
        mark.line, mark.column - 1,
        "text follows the closing quotation mark; put the whole text in one pair of marks"
          + (previous == "'" ? ", and write ' inside it twice: ''" : ""))
    case "]", "}":
      return line.depth(before: mark.column - 1) > 0
        ? nil : unquoted(String(line.scalars[value]), mark.line, value)
    default: return nil
    }
  }

  // MARK: - Brackets

  private func bracket() -> Explanation? {
    guard problem.hasPrefix("did not find expected ',' or "), let start else { return nil }
    let closing = problem.contains("}") ? "}" : "]"
    let first = lines[start.line]
    if start.line < mark.line, first.depth(before: first.scalars.count) > 0 {
      return at(
        start.line, start.column - 1,
        "this bracket is never closed; add \"\(closing)\" after its last part")
    }
    guard line.scalars.count >= mark.column, line.scalars[mark.column - 1] == ":" else {
      return at(mark.line, mark.column - 1, "a comma or \"\(closing)\" is missing here")
    }
    let end = mark.column - 1
    let begin = line.scalars[..<end].lastIndex { ":,{[".unicodeScalars.contains($0) } ?? -1
    let text = line.text(begin + 1..<end)
    guard let space = text.lastIndex(of: " ") else {
      return colonInText(mark.line, line.scalars[(begin + 1)...].firstIndex { $0 != " " } ?? end)
    }
    return at(mark.line, end, "a comma is missing before \"\(text[space...].dropFirst())\"")
  }

  // MARK: - Colons

  private func colon() -> Explanation? {
    guard problem == "mapping values are not allowed in this context" else { return nil }
    let previousColon = line.separators.last { $0 < mark.column - 1 }
    if let previousColon {
      let value = (previousColon + 1..<line.scalars.count).first { line.scalars[$0] != " " }
      return colonInText(mark.line, value ?? previousColon)
    }
    guard let previous = lines.contentLines(above: mark.line).first else { return nil }
    return keyMistake(previous) ?? deeper(than: previous)
  }

  private func deeper(than previous: Int) -> Explanation {
    at(
      mark.line, line.start,
      "\"\(keyText(mark.line))\" is indented deeper than \"\(keyText(previous))\" "
        + "in line \(previous), "
        + "which has a value; indent both equally")
  }

  private func colonInText(_ lineNumber: Int, _ index: Int) -> Explanation {
    at(
      lineNumber, index,
      "a text that contains a colon and a space needs quotation marks: write "
        + Self.quoted(lines[lineNumber].text(from: index)))
  }

  private func key() -> Explanation? {
    guard problem == "could not find expected ':'", let start else { return nil }
    return keyMistake(start.line)
  }

  /// Explains a line whose key is not followed by a colon and a space.
  private func keyMistake(_ lineNumber: Int) -> Explanation? {
    let line = lines[lineNumber]
    let text = line.text(line.start..<line.scalars.count)
    if text.hasPrefix("-"), !text.hasPrefix("--") {
      return at(
        lineNumber, line.start + 1,
        "a space is missing after \"-\": write - \(text.dropFirst())")
    }
    guard line.separators.isEmpty else { return nil }
    if let (written, length) = Spacing.corrected(text) {
      return at(
        lineNumber, line.start + length, "a space is missing after the colon: write \(written)")
    }
    let words = text.split(separator: " ", maxSplits: 1).map(String.init)
    let corrected = words.count == 2 ? "\(words[0]): \(words[1])" : text + ":"
    return at(lineNumber, line.start, "a colon is missing after the key: write \(corrected)")
  }

  private func keyText(_ lineNumber: Int) -> String {
    let line = lines[lineNumber]
    return line.text(line.start..<(line.separators.first ?? line.scalars.count))
  }

  // MARK: - Indentation

  private func indentation() -> Explanation? {
    guard ["did not find expected key", "did not find expected '-' indicator"].contains(problem)
    else { return nil }
    let indent = line.start
    let above = lines.contentLines(above: mark.line)
    if let previous = above.first, lines[previous].start < indent,
      lines[previous].valueIndex != nil
    {
      return deeper(than: previous)
    }
    if let entry = above.first(where: { lines[$0].indentation <= indent }),
      lines[entry].indentation == indent, lines[entry].start > indent,
      line.start == line.indentation
    {
      return at(
        mark.line, indent,
        "\"\(keyText(mark.line))\" stands beside an entry that begins with \"- \" "
          + "in line \(entry); begin both alike")
    }
    guard let deeper = above.first(where: { lines[$0].start > indent }) else { return nil }
    var message = "\"\(keyText(mark.line))\" is indented by \(indent) spaces"
    message += ", but \"\(keyText(deeper))\" in line \(deeper) by \(lines[deeper].start)"
    if let shallower = above.first(where: { lines[$0].start < indent }) {
      message += " and \"\(keyText(shallower))\" in line \(shallower)"
      message += " by \(lines[shallower].start)"
    }
    return at(mark.line, indent, message + "; indent keys of one mapping equally")
  }

  // MARK: - Other causes

  private func document() -> Explanation? {
    guard problem == "but found another document" else { return nil }
    return Explanation(
      position: mark, message: "\"---\" begins a second document; remove this line")
  }

  private func escape() -> Explanation? {
    guard problem == "found unknown escape character", mark.column > 0 else { return nil }
    return Explanation(
      position: mark,
      message: "a backslash in \"…\" begins an escape; write it twice: \\\\")
  }
}

extension SourceLines {
  /// Returns the texts whose beginning YAML reads as an anchor (`&name`) that nothing refers to.
  /// The parser omits anchors, so a part of the text would be lost.
  func unusedAnchors(in root: Node) -> [SyntaxFault.Explanation] {
    let (aliases, scalars) = (aliases, Self.scalarPositions(in: root))
    return (1...max(1, count)).compactMap { number in
      let line = self[number]
      guard let value = line.valueIndex, line.scalars[value] == "&",
        scalars.contains(SourcePosition(line: number, column: value + 1))
      else { return nil }
      let name = line.word(from: value + 1)
      guard !aliases.contains(name) else { return nil }
      return SyntaxFault.Explanation(
        position: SourcePosition(line: number, column: value + 1),
        message: "a text that begins with & needs quotation marks: YAML reads &\(name) as a name")
    }
  }

  /// Returns the positions of all scalars. A node that aliases refer to is visited once.
  private static func scalarPositions(in root: Node) -> Set<SourcePosition> {
    var (scalars, visited) = (Set<SourcePosition>(), Set<SourcePosition>())
    var nodes = [root]
    while let node = nodes.popLast() {
      guard let position = node.mark.map({ SourcePosition($0) }) else { continue }
      switch node {
      case .scalar: scalars.insert(position)
      case .sequence(let entries):
        if visited.insert(position).inserted { nodes += Array(entries) }
      case .mapping(let members):
        guard visited.insert(position).inserted else { continue }
        for (key, value) in members { nodes += [key, value] }
      case .alias: break
      }
    }
    return scalars
  }
}

extension SyntaxFault {
  /// Returns the explanation of a parser's error; nil if the error has no position.
  static func explanation(of error: YamlError, in text: String) -> Explanation? {
    let lines = SourceLines(text)
    switch error {
    case .scanner(let context, let problem, let mark, _),
      .parser(let context, let problem, let mark, _),
      .composer(let context, let problem, let mark, _):
      return SyntaxFault(problem, at: mark, context, in: lines).explanation
    case .duplicatedKeysInMapping(let keys, let context):
      return repeated(keys, SourcePosition(context.mark), lines)
    case .reader(_, let offset, let value, _):
      return offset.map { forbiddenCharacter(value, text, $0) }
    default: return nil
    }
  }

  private static func repeated(
    _ keys: [String], _ position: SourcePosition, _ lines: SourceLines
  ) -> Explanation {
    let names = keys.map { "\"\($0)\"" }.joined(separator: ", ")
    let repetition = keys.first.flatMap { lines.position(of: $0, after: position) }
    let remark = repetition.map { ", again in line \($0.line)" } ?? ""
    return Explanation(
      position: position, message: "\(names) is given twice\(remark); remove one of them")
  }

  private static func forbiddenCharacter(
    _ scalar: Int32, _ text: String, _ offset: Int
  ) -> Explanation {
    let precedingText = text.prefix(offset).unicodeScalars
    let lines = SourceLines(String(precedingText))
    let position = SourcePosition(
      line: lines.count, column: lines[lines.count].scalars.count + 1)
    let code = String(scalar, radix: 16, uppercase: true)
    return Explanation(
      position: position, message: "the character U+\(code) is not allowed in YAML; remove it")
  }

  init(_ problem: String, at mark: Yams.Mark, _ context: YamlError.Context?, in lines: SourceLines)
  {
    self.init(
      problem: problem, mark: SourcePosition(mark), context: context?.text ?? "",
      start: context.map { SourcePosition($0.mark) }, lines: lines)
  }
}
