package import CivilTime

/// The analytics events after a given one (rule M1).
package struct AnalyticsBacklog: Hashable, Sendable {
  /// The number of events, up to the limit of the query.
  package var count = 0
  /// The earliest time of these events; nil if there are none.
  package var oldest: Instant?
  /// The number of the latest event in the store; 0 if there is none.
  package var last: Int64 = 0

  package init(count: Int = 0, oldest: Instant? = nil, last: Int64 = 0) {
    (self.count, self.oldest, self.last) = (count, oldest, last)
  }
}

/// The key of the note that contains the cursor of analytics events. Another sink of the route
/// continues there.
private let analyticsCursorNote = "analytics cursor"

extension StoreReader {
  /// Returns the cursor of analytics events: the sink of their route has answered all events up to
  /// this number. Returns nil while analytics events have no route.
  package func analyticsCursor() throws -> Int64? {
    try note(analyticsCursorNote).flatMap { Int64($0) }
  }
}

extension StoreWriter {
  /// Saves the cursor of analytics events; nil if analytics events have no route.
  package func save(analyticsCursor cursor: Int64?) throws {
    try saveNote(analyticsCursorNote, cursor.map { "\($0)" } ?? "")
  }
}
