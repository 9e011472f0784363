/// A day of the week, numbered as in ISO 8601: Monday is 1.
package enum Weekday: Int, CaseIterable, Hashable, Sendable {
  case monday = 1
  case tuesday, wednesday, thursday, friday, saturday, sunday

  /// "mon", "tue", "wed", "thu", "fri", "sat" or "sun".
  package var name: String {
    switch self {
    case .monday: "mon"
    case .tuesday: "tue"
    case .wednesday: "wed"
    case .thursday: "thu"
    case .friday: "fri"
    case .saturday: "sat"
    case .sunday: "sun"
    }
  }

  /// The day with exactly that ``name``.
  package init?(name: String) {
    guard let day = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = day
  }
}

extension Weekday: CustomStringConvertible {
  package var description: String { name }
}
