extension String {
  /// Whether a character of the Unicode category Cc is in it.
  var hasControlCharacters: Bool {
    unicodeScalars.contains { $0.value < 0x20 || (0x7f..<0xa0).contains($0.value) }
  }
}
