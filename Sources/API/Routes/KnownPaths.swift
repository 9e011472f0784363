import CivilTime

/// The paths of the interface, for comparison with a mistyped one.
struct KnownPaths {
  private let templates: [String]

  init(_ templates: [String]) {
    var known: Set<String> = []
    self.templates = templates.filter { known.insert($0).inserted }
  }

  /// Returns the nearest paths, the most similar first.
  func nearest(_ count: Int, to path: String) -> [String] {
    let segments = RouteTable.segments(of: path.shortened.lowercased())
    let distances = templates.map { Self.distance(segments, RouteTable.segments(of: $0)) }
    let ranked = templates.indices.sorted { (distances[$0], $0) < (distances[$1], $1) }
    return ranked.prefix(count).map { templates[$0] }
  }

  /// The cost of a missing or additional segment, in letters.
  private static let gap = 3

  /// The number of letters to change, including the cost of missing and additional segments.
  private static func distance(_ segments: [Substring], _ others: [Substring]) -> Int {
    var row = (0...others.count).map { $0 * gap }
    for segment in segments {
      var next = [row[0] + gap]
      for (index, other) in others.enumerated() {
        let replaced = row[index] + difference(segment, other)
        next.append(min(replaced, row[index + 1] + gap, next[index] + gap))
      }
      row = next
    }
    return row[others.count]
  }

  /// A variable segment matches any text.
  private static func difference(_ segment: Substring, _ other: Substring) -> Int {
    if other.first == "{" { return 2 }
    return EditDistance.between(Array(segment.utf8)[...], Array(other.utf8)[...])
  }
}
