extension String {
  /// The lines joined by "; ", because without journald a line break is written as `\n`, and
  /// because a status has only one line.
  package var inOneLine: String {
    split(whereSeparator: \.isNewline).joined(separator: "; ")
  }
}
