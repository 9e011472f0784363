package import CivilTime

/// A limit of the operator on the interrupting notifications of some categories together (rule
/// V20).
package struct PolicyCap: Hashable, Sendable {
  /// The number of dates in a week: the current date and the six before it.
  static let datesOfWeek = 7

  /// The names of the categories, sorted; empty for all categories.
  package let categories: [String]
  /// The most notifications on a local date; nil for any number.
  package var perDay: Int?
  /// The most notifications on seven local dates; nil for any number.
  package var perWeek: Int?
  /// The least time between two notifications; nil for none.
  package var minimumInterval: TimeSpan?
  private let symbols: Set<Symbol>

  init(categories: Set<String>) {
    self.categories = categories.sorted()
    symbols = Set(categories.map { Symbol($0) })
  }

  func concerns(_ category: Symbol) -> Bool { symbols.isEmpty || symbols.contains(category) }
}
