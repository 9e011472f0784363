package import CivilTime
import Store

/// Selects the time and the resolution of an `Activity`.
package struct ActivityQuery: EngineQuery {
  package static var burden: QueryBurden { .service }

  /// How far back the activity begins, in whole parts.
  package var span: TimeSpan
  /// The length of each part, in whole minutes.
  package var part: TimeSpan

  package init(span: TimeSpan, part: TimeSpan) {
    (self.span, self.part) = (span, part)
  }

  package func answer(from questions: Questions, now: Instant) -> Activity {
    questions.published.activity.activity(self, now: now)
  }
}
