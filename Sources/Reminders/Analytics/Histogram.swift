/// How many values lie at or below each of some bounds, and what they add up to.
package struct Histogram: Hashable, Sendable {
  /// Ascending; beyond the last one there is one without end.
  package let bounds: [Double]
  /// For each bound how many values it is the lowest for, and last how many lie beyond them all.
  package private(set) var counts: [Int]
  package private(set) var sum = 0.0

  package init(bounds: [Double]) {
    self.bounds = bounds
    counts = Array(repeating: 0, count: bounds.count + 1)
  }

  package var count: Int { counts.reduce(0, +) }

  /// - Complexity: O(bounds).
  package mutating func observe(_ value: Double) {
    counts[bounds.firstIndex { value <= $0 } ?? bounds.endIndex] += 1
    sum += value
  }

  /// Adds what another has counted between the same bounds.
  package mutating func add(_ other: Histogram) {
    for index in counts.indices { counts[index] += other.counts[index] }
    sum += other.sum
  }
}
