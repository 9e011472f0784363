package import CivilTime

/// One limit of a cap of the operator, and the deliveries that it counts.
package struct PolicyLimit: Hashable, Sendable {
  package enum Measure: Hashable, Sendable {
    case perDay(Int, sent: Int, on: LocalDate)
    /// `since` is the first of the seven dates.
    case perWeek(Int, sent: Int, since: LocalDate)
    case interval(TimeSpan, last: Instant?)
  }

  /// The names of the categories; empty for all categories.
  package let categories: [String]
  package let measure: Measure

  init(categories: [String], _ measure: Measure) {
    (self.categories, self.measure) = (categories, measure)
  }
}
