/// The beginning of a text that somebody wrote, on one line (rule N2).
enum Preview {
  /// The longest preview, with the dots that stand for the rest.
  static let charactersMax = 100
  private static let dots = "..."

  /// - Complexity: O(length of `text`).
  static func of(_ text: String) -> String {
    let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    guard line.count > charactersMax else { return line }
    var beginning = line.prefix(charactersMax - dots.count)
    while beginning.last == " " { beginning.removeLast() }
    return beginning + dots
  }
}
