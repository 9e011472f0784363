extension String {
  /// The same, with an escape as JSON has it in the place of whatever a terminal would obey: what
  /// others wrote must not move the cursor, change a title or turn a line around.
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

  /// The same with its line breaks.
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
