extension String {
  /// The lines, joined by "; ": a journal without journald shows a line break as `\n`.
  var inOneLine: String {
    split(whereSeparator: \.isNewline).joined(separator: "; ")
  }
}
