import CivilTime

/// The paths of the interface, for comparison with a mistyped path.
///
/// Any caller may send any path. So the number of compared segments is bounded, and each segment is
/// compared once with each word of the paths (rule H6).
struct KnownPaths: Sendable {
  /// The maximum number of segments of a mistyped path that are compared.
  private static let segmentsMax = 8
  /// The cost of a missing or additional segment, in letters.
  private static let gapCost = 3
  /// The cost of a variable segment, which matches any text.
  private static let variableCost = 2

  private let templates: [String]
  /// The segments of each template, as indices of `words`; nil for a variable segment.
  private let segments: [[Int?]]
  /// The different constant segments.
  private let words: [[UInt8]]

  init(_ templates: [String]) {
    var seen: Set<String> = []
    var indices: [Substring: Int] = [:]
    var words: [[UInt8]] = []
    self.templates = templates.filter { seen.insert($0).inserted }
    segments = self.templates.map { template in
      RouteTable.segments(of: template).map { segment in
        if segment.first == "{" { return nil }
        if let index = indices[segment] { return index }
        indices[segment] = words.count
        words.append(Array(segment.utf8))
        return words.count - 1
      }
    }
    self.words = words
  }

  /// Returns the nearest paths, the most similar first.
  ///
  /// - Complexity: bounded for any length of `path`.
  func nearest(_ count: Int, to path: String) -> [String] {
    let costs = RouteTable.segments(of: path.shortened.lowercased()).prefix(Self.segmentsMax)
      .map { wordCosts(of: Array($0.utf8)) }
    let distances = segments.map { Self.distance(costs, $0) }
    let ranked = templates.indices.sorted { (distances[$0], $0) < (distances[$1], $1) }
    return ranked.prefix(count).map { templates[$0] }
  }

  /// Returns, for each word, the number of letters to change in a segment to get the word.
  private func wordCosts(of segment: [UInt8]) -> [Int] {
    words.map { EditDistance.between(segment[...], $0[...]) }
  }

  /// Returns the number of letters to change in a path to get the template, including the cost of
  /// missing and additional segments.
  ///
  /// - Parameter costs: for each segment of the path, the cost of each word.
  private static func distance(_ costs: [[Int]], _ template: [Int?]) -> Int {
    // row[j] is the distance from the segments so far to the first j segments of the template.
    var row = (0...template.count).map { $0 * gapCost }
    for costs in costs {
      var diagonal = row[0]
      row[0] += gapCost
      for (index, word) in template.enumerated() {
        let replaced = diagonal + (word.map { costs[$0] } ?? variableCost)
        diagonal = row[index + 1]
        row[index + 1] = min(replaced, diagonal + gapCost, row[index] + gapCost)
      }
    }
    return row[template.count]
  }
}
