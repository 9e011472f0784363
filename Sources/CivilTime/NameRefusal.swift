/// The words in which a name that nobody knows is refused, for errors such as ``UnknownZone``.
package enum NameRefusal {
  /// Such as `"Berln" is not a city; did you mean "Berlin" or "Bern"?`, without the question if
  /// `nearest` is empty.
  package static func sentence(_ name: String, isNot kind: String, nearest: [String]) -> String {
    let refusal = quoted(name) + " is not " + kind
    return nearest.isEmpty ? refusal : refusal + "; did you mean " + list(nearest) + "?"
  }

  /// A name as it may be shown: it came from outside, at any length and with any characters.
  package static func quoted(_ name: String) -> String {
    let start = name.unicodeScalars.prefix(64)
    return String(reflecting: start.endIndex == name.endIndex ? name : String(start) + "…")
  }

  private static func list(_ names: [String]) -> String {
    let quoted = names.map { "\"\($0)\"" }
    guard let last = quoted.last, quoted.count > 1 else { return quoted.joined() }
    return quoted.dropLast().joined(separator: ", ") + " or " + last
  }
}
