/// Corrects keys that lack the space after the colon, which YAML requires.
enum Spacing {
  /// Returns `category: NOTE` for `category:NOTE`, and the length of the name with its colon.
  /// Returns nil if the text is not a name, a colon and a value.
  static func corrected(_ text: String) -> (text: String, length: Int)? {
    let scalars = Array(text.unicodeScalars)
    guard let colon = scalars.firstIndex(of: ":"), colon > 0, colon + 1 < scalars.count else {
      return nil
    }
    let signs = "0123456789_-.".unicodeScalars
    let isName = scalars[..<colon].allSatisfy { $0.properties.isAlphabetic || signs.contains($0) }
    guard isName, scalars[0].properties.isAlphabetic, scalars[colon + 1] != " " else { return nil }
    let parts = text.split(separator: ":", maxSplits: 1)
    return ("\(parts[0]): \(parts[1])", colon + 1)
  }
}
