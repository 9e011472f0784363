package import CivilTime
package import Store

/// Selects a dead letter by its id; the answer is nil if there is none.
package struct DeadLetterQuery: EngineQuery {
  /// The id of the dead letter.
  package var letter: String

  package init(_ letter: String) {
    self.letter = letter
  }

  package func answer(from questions: Questions, now: Instant) throws(StoreError) -> DeadLetter? {
    try questions.deadLetter(letter)
  }
}
