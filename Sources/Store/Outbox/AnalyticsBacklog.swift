package import CivilTime

/// What there is of analytics events after one (rule M1).
package struct AnalyticsBacklog: Hashable, Sendable {
  /// How many there are, as far as was looked.
  package var count = 0
  /// When the oldest of them was told.
  package var oldest: Instant?
  /// The number of the latest of all that are kept; 0 if there is none.
  package var last: Int64 = 0

  package init(count: Int = 0, oldest: Instant? = nil, last: Int64 = 0) {
    (self.count, self.oldest, self.last) = (count, oldest, last)
  }
}

/// Up to where analytics events have been answered for by the sink of their route, whichever that
/// was.
private let analyticsPlaceNote = "analytics place"

extension StoreReader {
  /// Up to which analytics event the sink of their route has taken all; nil while they have no
  /// route.
  package func analyticsPlace() throws -> Int64? {
    try note(analyticsPlaceNote).flatMap { Int64($0) }
  }
}

extension StoreWriter {
  package func save(analyticsPlace place: Int64?) throws {
    try saveNote(analyticsPlaceNote, place.map { "\($0)" } ?? "")
  }
}
