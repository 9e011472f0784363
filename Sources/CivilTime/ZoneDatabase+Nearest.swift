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
  /// case and the difference of space, "-" and "_" do not count. Takes some 300 µs.
  package func nearestNames(to name: String) -> [String] {
    let wanted = Self.folded(name)
    guard (1...64).contains(wanted.count) else { return [] }
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
