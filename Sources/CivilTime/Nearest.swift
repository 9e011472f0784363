extension ZoneDatabase {
  /// How far a zone's name is from the wanted one.
  private struct Candidate {
    let name: String
    let distance: Int
    let isByCity: Bool

    var order: (Int, Int, String) { (distance, isByCity ? 1 : 0, name) }
  }

  /// Up to three names that someone who wrote `name` may have meant, the most similar first.
  /// Similar are names, or their part after the last "/", that differ from it in few characters;
  /// case and the difference of space, "-" and "_" do not count. None is similar to an offset.
  /// Takes some 300 µs.
  package func nearestNames(to name: String) -> [String] {
    let wanted = Self.folded(name)
    guard (1...64).contains(wanted.count), WrittenOffset(name) == nil else { return [] }
    let tolerated = max(1, wanted.count / 4)
    let candidates = names.map { Self.candidate($0, for: wanted) }
    let similar = candidates.filter { $0.distance <= tolerated }
    return similar.sorted { $0.order < $1.order }.prefix(3).map(\.name)
  }

  /// By the whole name or by its city alone, whichever is nearer.
  private static func candidate(_ name: String, for wanted: [UInt8]) -> Candidate {
    let bytes = folded(name)
    let whole = EditDistance.between(wanted[...], bytes[...])
    let slash = bytes.lastIndex(of: UInt8(ascii: "/"))
    let city = slash.map { EditDistance.between(wanted[...], bytes[($0 + 1)...]) } ?? whole
    return Candidate(name: name, distance: min(whole, city), isByCity: city < whole)
  }

  private static func folded(_ name: String) -> [UInt8] {
    name.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
      case UInt8(ascii: " "), UInt8(ascii: "-"): UInt8(ascii: "_")
      default: byte
      }
    }
  }
}

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

/// How many bytes must be inserted, deleted or replaced to make one text of another.
package enum EditDistance {
  /// Levenshtein's distance; time is the product of the lengths.
  package static func between(_ one: ArraySlice<UInt8>, _ other: ArraySlice<UInt8>) -> Int {
    // row[j] is the distance from what was seen of `one` to the first j bytes of `other`.
    var row = Array(0...other.count)
    for (seen, byte) in one.enumerated() {
      var diagonal = row[0]
      row[0] = seen + 1
      for (column, candidate) in other.enumerated() {
        let replaced = diagonal + (byte == candidate ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
      }
    }
    return row[other.count]
  }
}
