extension String {
  /// The width on a terminal, in columns.
  var columns: Int { reduce(0) { $0 + $1.columns } }

  func padded(to columns: Int) -> String {
    self + String(repeating: " ", count: max(0, columns - self.columns))
  }

  /// Returns the text, cut with an ellipsis if it is wider than `columns`.
  func cut(to columns: Int) -> String {
    guard self.columns > columns else { return self }
    guard columns > 0 else { return "" }
    var (text, remaining) = ("", columns - 1)
    for character in self {
      remaining -= character.columns
      if remaining < 0 { break }
      text.append(character)
    }
    return text + "…"
  }
}

extension String {
  /// Returns the text in lines of at most `width` columns, broken at spaces if possible.
  func wrapped(to width: Int) -> [String] {
    guard columns > width, width > 0 else { return [self] }
    var (lines, line) = ([String](), "")
    for word in split(separator: " ", omittingEmptySubsequences: false) {
      let extendedLine = lines.isEmpty && line.isEmpty ? String(word) : line + " " + word
      if extendedLine.columns <= width {
        line = extendedLine
        continue
      }
      if !line.isEmpty { lines.append(line) }
      line = ""
      for character in word {
        if line.columns + character.columns > width, !line.isEmpty {
          lines.append(line.removeFirstPart())
        }
        line.append(character)
      }
    }
    return line.isEmpty ? lines : lines + [line]
  }

  /// Removes and returns the first part of a word that is too long, such as a reminder's name. The
  /// part ends at the last punctuation mark; without a mark, the part is the whole word.
  private mutating func removeFirstPart() -> String {
    let markEnd = lastIndex { "-_./:".contains($0) }.map { index(after: $0) }
    let end = markEnd ?? endIndex
    defer { removeSubrange(..<end) }
    return String(self[..<end])
  }
}

extension Character {
  /// The width in columns: 0 for combining marks, 2 for emoji and East Asian scripts.
  var columns: Int {
    guard let first = unicodeScalars.first else { return 0 }
    let isEmoji =
      first.properties.isEmojiPresentation
      || unicodeScalars.contains { $0 == "\u{fe0f}" || $0.properties.isEmojiModifier }
    return isEmoji ? 2 : unicodeScalars.reduce(0) { $0 + $1.columns }
  }
}

extension Unicode.Scalar {
  /// The width of the scalar alone, approximately as terminals show it (Unicode, UAX #11).
  fileprivate var columns: Int {
    if isASCII { return 1 }
    if isWide { return 2 }
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark: return 0
    case .format: return isVisibleFormat ? 1 : 0
    default: return isJoinedJamo ? 0 : 1
    }
  }

  private var isWide: Bool {
    switch value {
    case 0x1100...0x115f, 0x2e80...0x303e, 0x3041...0xa4cf, 0xa960...0xa97f, 0xac00...0xd7a3,
      0xf900...0xfaff, 0xfe10...0xfe19, 0xfe30...0xfe6f, 0xff00...0xff60, 0xffe0...0xffe6,
      0x16fe0...0x18cff, 0x1aff0...0x1b2ff, 0x20000...0x3fffd:
      true
    default: false
    }
  }

  /// The soft hyphen, and Arabic and Syriac signs drawn under digits.
  private var isVisibleFormat: Bool {
    switch value {
    case 0xad, 0x600...0x605, 0x6dd, 0x70f, 0x890...0x891, 0x8e2: true
    default: false
    }
  }

  /// Vowels and finals of a Hangul syllable, which has the width of its initial.
  private var isJoinedJamo: Bool {
    switch value {
    case 0x1160...0x11ff, 0xd7b0...0xd7ff: true
    default: false
    }
  }
}

extension String {
  /// The text, with a JSON escape for each character that would control a terminal. Text from
  /// other sources must not move the cursor, change a title or reverse a line.
  var printable: String {
    guard unicodeScalars.contains(where: Self.isControl) else { return self }
    return unicodeScalars.reduce(into: "") { text, scalar in
      if Self.isControl(scalar) {
        text += Self.escape(scalar)
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
  }

  /// Returns the printable text. If `keepingLines`, line breaks are not escaped.
  func printable(keepingLines: Bool) -> String {
    guard keepingLines else { return printable }
    return split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }
      .joined(separator: "\n")
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7f..<0xa0, 0x2028...0x202e, 0x2066...0x2069: true
    default: false
    }
  }

  private static func escape(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\n": return "\\n"
    case "\r": return "\\r"
    case "\t": return "\\t"
    default:
      let digits = String(scalar.value, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
  }
}
