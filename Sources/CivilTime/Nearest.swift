extension ZoneDatabase {
  /// A zone's name with its edit distance from the wanted name.
  private struct Candidate {
    let name: String
    let distance: Int
    /// Whether the part of the name after the last "/" is nearer than the whole name.
    let isByCity: Bool

    var sortKey: (Int, Int, String) { (distance, isByCity ? 1 : 0, name) }
  }

  /// Returns at most three zones' names that are similar to `name`, the most similar first. A
  /// zone's name is similar if it, or its part after the last "/", differs in at most a quarter of
  /// the bytes of `name`. One different byte is always tolerated. Case is ignored, and space, "-"
  /// and "_" count as equal. An offset has no similar names. Takes about 300 µs.
  package func nearestNames(to name: String) -> [String] {
    let wanted = Self.folded(name)
    guard (1...64).contains(wanted.count), WrittenOffset(name) == nil else { return [] }
    let distanceMax = max(1, wanted.count / 4)
    let candidates = names.map { Self.candidate($0, for: wanted) }
    let similar = candidates.filter { $0.distance <= distanceMax }
    return similar.sorted { $0.sortKey < $1.sortKey }.prefix(3).map(\.name)
  }

  /// Returns a candidate with the smaller of two distances from the wanted name: that of the whole
  /// name, and that of its city.
  private static func candidate(_ name: String, for wanted: [UInt8]) -> Candidate {
    let bytes = folded(name)
    let whole = EditDistance.between(wanted[...], bytes[...])
    let slash = bytes.lastIndex(of: UInt8(ascii: "/"))
    let city = slash.map { EditDistance.between(wanted[...], bytes[($0 + 1)...]) } ?? whole
    return Candidate(name: name, distance: min(whole, city), isByCity: city < whole)
  }

  /// Returns the bytes of a name in lower case, with "_" for spaces and hyphens.
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

/// The wording of errors about unknown names, such as ``UnknownZoneError``.
package enum NameRefusal {
  /// Returns a refusal such as `"Berln" is not a city; did you mean "Berlin" or "Bern"?`, without
  /// the question if `nearest` is empty.
  package static func sentence(_ name: String, isNot kind: String, nearest: [String]) -> String {
    let refusal = quoted(name) + " is not " + kind
    return nearest.isEmpty ? refusal : refusal + "; did you mean " + list(nearest) + "?"
  }

  /// Returns a name in quotation marks, escaped and cut after 64 characters. Names come from
  /// outside, so they may be long or contain any character.
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

/// The edit distance of two texts: the number of bytes to insert, delete or replace to turn one
/// into the other.
package enum EditDistance {
  /// Returns Levenshtein's distance. The time is proportional to the product of the lengths.
  package static func between(_ one: ArraySlice<UInt8>, _ other: ArraySlice<UInt8>) -> Int {
    // row[j] is the distance from the part of `one` read so far to the first j bytes of `other`.
    var row = Array(0...other.count)
    for (index, byte) in one.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for (column, candidate) in other.enumerated() {
        let replaced = diagonal + (byte == candidate ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
      }
    }
    return row[other.count]
  }
}
