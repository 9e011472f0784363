package import CivilTime
package import Store

/// Selects the rows of one part of the data that are old enough to be removed (rule H7).
package struct PruningQuery: EngineQuery {
  package var part: RetentionPart
  /// The cursor: the end of the previous answer; 0 to begin.
  package var after: Int64

  package init(_ part: RetentionPart, after: Int64 = 0) {
    self.part = part
    self.after = after
  }

  /// The number of rows read by one query: snapshots must be short.
  private static let rowsMax = 10_000

  package func answer(
    from questions: Questions, now: Instant
  ) throws(StoreError) -> PruningForecast {
    let view = questions.published.view
    guard let retention = view.retention?.span(of: part) else { return PruningForecast(part) }
    let found = try questions.readers.read {
      try $0.prunable(
        part, by: view.leaps.age(beyond: retention, now: now), after: after, limit: Self.rowsMax,
        keeping: view.planner.isCurrentMilestone)
    }
    return PruningForecast(part, retention: retention, found: found)
  }
}

/// The rows of one part of the data that would be removed now, among the rows that one query reads
/// (rule H7).
package struct PruningForecast: Sendable {
  package var part: RetentionPart
  /// The retention; nil if it is unlimited.
  package var retention: TimeSpan?
  /// The rows that would be removed, and the cursor of the next query.
  package var found = Prunable()

  package init(_ part: RetentionPart, retention: TimeSpan? = nil, found: Prunable = Prunable()) {
    self.part = part
    self.retention = retention
    self.found = found
  }
}
