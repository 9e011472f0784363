extension String {
  /// The same without anything that a terminal would obey: what others wrote must not move the
  /// cursor or change a title.
  var printable: String {
    guard unicodeScalars.contains(where: Self.isControl) else { return self }
    return String(
      String.UnicodeScalarView(unicodeScalars.map { Self.isControl($0) ? "\u{fffd}" : $0 }))
  }

  /// How many columns it takes on a terminal.
  var columns: Int {
    reduce(0) { $0 + (Self.isWide($1) ? 2 : 1) }
  }

  func padded(to columns: Int) -> String {
    self + String(repeating: " ", count: max(0, columns - self.columns))
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7f..<0xa0, 0x2028...0x202e, 0x2066...0x2069: true
    default: false
    }
  }

  /// Emoji and the East Asian scripts; near enough for a table.
  private static func isWide(_ character: Character) -> Bool {
    guard let first = character.unicodeScalars.first else { return false }
    if first.properties.isEmojiPresentation { return true }
    switch first.value {
    case 0x1100...0x115f, 0x2e80...0xa4cf, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe30...0xfe6f,
      0xff00...0xff60, 0xffe0...0xffe6, 0x20000...0x3fffd:
      return true
    default: return character.unicodeScalars.contains("\u{fe0f}")
    }
  }
}
