package import CivilTime
package import Store

/// What is asked of what is old enough to be removed.
package struct PruningQuestion: Sendable {
  package var part: KeptPart
  /// Where the answer before ended; 0 to begin.
  package var after: Int64

  package init(_ part: KeptPart, after: Int64 = 0) {
    self.part = part
    self.after = after
  }
}

/// What of a part would be removed now, as far as one question looks (rule H7).
package struct PruningForecast: Sendable {
  package var part: KeptPart
  /// For how long it is kept; nil for ever.
  package var kept: TimeSpan?
  package var found = Prunable()

  package init(_ part: KeptPart, kept: TimeSpan? = nil, found: Prunable = Prunable()) {
    self.part = part
    self.kept = kept
    self.found = found
  }
}

extension Questions {
  /// How many rows a question looks at: a snapshot does not last long.
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
