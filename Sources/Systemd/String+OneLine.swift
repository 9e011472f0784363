extension String {
  /// The lines, joined by "; ": a journal without journald shows a line break as `\n`, and a status
  /// is one line.
  package var inOneLine: String {
    split(whereSeparator: \.isNewline).joined(separator: "; ")
  }
}
