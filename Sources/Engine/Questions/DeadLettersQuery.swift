package import CivilTime
package import Store

/// Selects a page of dead letters.
package struct DeadLettersQuery: EngineQuery {
  package var filter: DeadLetterFilter
  /// The cursor: `next` of the previous page; nil for the first page.
  package var after: String?
  /// The maximum number of dead letters of the page.
  package var limit: Int

  package init(
    _ filter: DeadLetterFilter = DeadLetterFilter(), after: String? = nil, limit: Int = 100
  ) {
    self.filter = filter
    self.after = after
    self.limit = limit
  }

  package func answer(
    from questions: Questions, now: Instant
  ) throws(StoreError) -> DeadLetterPage {
    try questions.deadLetters(self)
  }
}
