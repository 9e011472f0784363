package import CivilTime
package import Reminders

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

extension AnalyticsRoute {
  /// The key of the note that contains the cursor. Another sink of the route continues there.
  fileprivate var cursorNote: String { "\(rawValue) cursor" }
}

extension StoreReader {
  /// Returns the cursor of a route: the route's sink has answered all its events up to this number.
  /// Returns nil while there is no such route.
  package func analyticsCursor(of route: AnalyticsRoute = .analytics) throws -> Int64? {
    try note(route.cursorNote).flatMap { Int64($0) }
  }

  /// Returns the cursors of the current routes.
  package func analyticsCursors() throws -> [AnalyticsRoute: Int64] {
    var cursors: [AnalyticsRoute: Int64] = [:]
    for route in AnalyticsRoute.allCases { cursors[route] = try analyticsCursor(of: route) }
    return cursors
  }
}

extension StoreWriter {
  /// Saves the cursor of a route's events; nil if the route has no sink.
  package func save(
    analyticsCursor cursor: Int64?, of route: AnalyticsRoute = .analytics
  ) throws {
    try saveNote(route.cursorNote, cursor.map { "\($0)" } ?? "")
  }
}
