/// The lines of a file, separated as by the YAML parser. Lines and columns are numbered from 1, as
/// in the positions of diagnostics. Columns count Unicode scalars.
struct SourceLines {
  private let lines: [SourceLine]

  init(_ text: String) {
    var (lines, line, endsInReturn) = ([SourceLine](), [Unicode.Scalar](), false)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\n" where endsInReturn: break
      case "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}":
        lines.append(SourceLine(scalars: line))
        line = []
      default: line.append(scalar)
      }
      endsInReturn = scalar == "\r"
    }
    self.lines = lines + [SourceLine(scalars: line)]
  }

  /// Returns the line with a number; an empty line if there is none.
  subscript(number: Int) -> SourceLine {
    lines.indices.contains(number - 1) ? lines[number - 1] : SourceLine(scalars: [])
  }

  /// Returns the numbers of the lines with content above a line, the nearest first.
  func contentLines(above number: Int) -> [Int] {
    (1..<max(1, min(number, lines.count + 1))).reversed().filter { self[$0].hasContent }
  }

  var count: Int { lines.count }

  /// The names after each `*`, which may refer to anchors.
  var aliases: Set<String> {
    Set(
      lines.flatMap { line in
        line.scalars.indices.filter { line.scalars[$0] == "*" }.map { line.word(from: $0 + 1) }
      })
  }

  /// Returns the number of the line with a double quotation mark that no line up to `last` closes;
  /// nil if there is none. A text in quotation marks may continue on further lines. But if one of
  /// these has a complete text in quotation marks, the mark above it counts as not closed.
  func openQuote(upTo last: Int) -> Int? {
    var open: Int?
    for number in 1...max(1, last) {
      let count = self[number].quotes.count
      if let start = open, count > 0, count.isMultiple(of: 2) { return start }
      if !count.isMultiple(of: 2) { open = open == nil ? number : nil }
    }
    return open
  }

  /// Returns the position of the next key with a name; nil if there is none. The key is on the same
  /// line after a position, or in the same column on a later line.
  func position(of key: String, after position: SourcePosition) -> SourcePosition? {
    let name = Array((key + ":").unicodeScalars)
    let line = self[position.line].scalars
    let rest = line.dropFirst(position.column)
    if let index = rest.indices.first(where: { rest[$0...].starts(with: name) }) {
      return SourcePosition(line: position.line, column: index + 1)
    }
    let below = (position.line + 1..<max(position.line + 1, lines.count + 1)).first {
      self[$0].scalars.dropFirst(position.column - 1).starts(with: name)
    }
    return below.map { SourcePosition(line: $0, column: position.column) }
  }
}
