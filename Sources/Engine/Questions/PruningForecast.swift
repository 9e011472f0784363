package import CivilTime
package import Store

/// Selects data of one part that is old enough to be removed.
package struct PruningQuestion: Sendable {
  package var part: KeptPart
  /// The cursor: the end of the previous answer; 0 to begin.
  package var after: Int64

  package init(_ part: KeptPart, after: Int64 = 0) {
    self.part = part
    self.after = after
  }
}

/// The data of one part that would be removed now, as far as one query reads (rule H7).
package struct PruningForecast: Sendable {
  package var part: KeptPart
  /// The retention; nil if it is unlimited.
  package var kept: TimeSpan?
  package var found = Prunable()

  package init(_ part: KeptPart, kept: TimeSpan? = nil, found: Prunable = Prunable()) {
    self.part = part
    self.kept = kept
    self.found = found
  }
}

extension Questions {
  /// The number of rows read by one query: snapshots must be short.
  private static let prunableMax = 10_000

  func prunable(
    _ question: PruningQuestion, now: Instant
  ) throws(StoreError) -> PruningForecast {
    let view = published.view
    guard let kept = view.retention?.span(of: question.part) else {
      return PruningForecast(question.part)
    }
    let found = try readers.read {
      try $0.prunable(
        question.part, by: view.leaps.age(beyond: kept, now: now), after: question.after,
        limit: Self.prunableMax,
        keeping: view.planner.isStillCounted)
    }
    return PruningForecast(question.part, kept: kept, found: found)
  }
}
