/// How many things of each sort an event brought, or a whole batch of events, and what the first of
/// them look like.
package struct Tally: Hashable, Sendable {
  /// More are not shown (rule N2).
  package static let thumbnailsMax = 5

  package struct Thumbnail: Hashable, Sendable {
    /// The name of its sort, such as PHOTO.
    package var sort: String
    package var url: String

    package init(sort: String, url: String) {
      self.sort = sort
      self.url = url
    }
  }

  /// How many of each sort, in the order in which the catalog declares them.
  package private(set) var counts: [Int]
  package private(set) var thumbnails: [Thumbnail]

  package init(counts: [Int], thumbnails: [Thumbnail] = []) {
    self.counts = counts
    self.thumbnails = Array(thumbnails.prefix(Self.thumbnailsMax))
  }

  package var total: Int { counts.reduce(0) { $0.addingClamped($1) } }

  package mutating func add(_ other: Tally) {
    let missing = max(0, other.counts.count - counts.count)
    counts += repeatElement(0, count: missing)
    for (sort, count) in other.counts.enumerated() {
      counts[sort] = counts[sort].addingClamped(count)
    }
    let room = Self.thumbnailsMax - thumbnails.count
    thumbnails += other.thumbnails.prefix(max(0, room))
  }

  /// "20 photos and 3 videos".
  func text(_ sorts: [Sort]) -> String {
    let parts = zip(sorts, counts).filter { $1 > 0 }.map { sort, count in
      count == 1 ? sort.one : "\(count) \(sort.many)"
    }
    guard parts.count > 1, let last = parts.last else { return parts.first ?? "" }
    return parts.dropLast().joined(separator: ", ") + " and " + last
  }

  /// What there may be of in a list, and what one and several of it are called.
  package struct Sort: Hashable, Sendable {
    package var name: String
    package var one: String
    package var many: String
  }
}

extension Int {
  /// A damaged row may claim any count.
  fileprivate func addingClamped(_ other: Int) -> Int {
    let (sum, isOver) = addingReportingOverflow(other)
    return isOver ? .max : sum
  }
}
