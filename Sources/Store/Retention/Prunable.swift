package import CivilTime

/// What would be removed, as far as was looked.
package struct Prunable: Hashable, Sendable {
  package var count = 0
  /// Of the oldest.
  package var oldest: Instant?
  /// The row to go on behind; nil when nothing more is old enough.
  package var place: Int64?

  package init(count: Int = 0, oldest: Instant? = nil, place: Int64? = nil) {
    (self.count, self.oldest, self.place) = (count, oldest, place)
  }

  package mutating func add(_ time: Instant) {
    count += 1
    oldest = min(oldest ?? time, time)
  }
}
