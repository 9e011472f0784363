internal import CivilTime

extension HolidayDatabase {
  /// How far what a region is called is from the wanted word.
  private struct Candidate {
    let code: String
    let distance: Int
    let startsAlike: Bool

    var order: (Int, Int, String) { (distance, startsAlike ? 0 : 1, code) }
  }

  /// Up to three codes that someone who wrote `text` may have meant, the most similar first: codes
  /// of which a letter differs, or regions of that name ("Germany", "DEU"). Of a part that is not
  /// known, the country is the last resort.
  package func nearestRegions(to text: String) -> [String] {
    let wanted = Array(text.uppercased().utf8)
    guard (1...64).contains(wanted.count) else { return [] }
    let named = regions.map { (name: $0, code: $0) } + aliases
    let tolerated = max(1, wanted.count / 4)
    let candidates = named.map { Self.candidate($0.name, $0.code, for: wanted) }
    // Who hits a name exactly means nothing else.
    let isExact = candidates.contains { $0.distance == 0 }
    let similar = candidates.filter { $0.distance <= (isExact ? 0 : tolerated) }
    let codes = similar.sorted { $0.order < $1.order }.map(\.code)
    var found: [String] = []
    for code in codes where !found.contains(code) { found.append(code) }
    if found.isEmpty, let country = country(of: text) { found = [country] }
    return Array(found.prefix(3))
  }

  private static func candidate(_ name: String, _ code: String, for wanted: [UInt8]) -> Candidate {
    let bytes = Array(name.uppercased().utf8)
    return Candidate(
      code: code, distance: EditDistance.between(wanted[...], bytes[...]),
      startsAlike: bytes.first == wanted.first)
  }

  private func country(of text: String) -> String? {
    guard let part = text.split(separator: "-").first else { return nil }
    return regions.first { $0 == part.uppercased() }
  }
}
