/// A condition on one field of the event that triggers an occurrence.
package struct DataCondition: Sendable {
  /// The symbol of the field's name.
  package var field: Symbol
  package var test: Test

  package enum Test: Sendable {
    /// The field's text is one of these words.
    case words([String])
    /// The field is this Boolean.
    case flag(Bool)
    /// For true, the event has the field; for false, it lacks the field.
    case given(Bool)
    /// The field's number satisfies all comparisons.
    case numbers([Comparison])
  }

  /// A comparison with a number that is fixed by the catalog or set by the recipient.
  package struct Comparison: Sendable {
    package var relation: Relation
    package var limit: Limit
  }

  package enum Relation: String, CaseIterable, Sendable {
    case above, atLeast, below, atMost
    case equal = "is"

    func holds(_ number: Double, _ limit: Double) -> Bool {
      switch self {
      case .above: number > limit
      case .atLeast: number >= limit
      case .below: number < limit
      case .atMost: number <= limit
      case .equal: number == limit
      }
    }
  }

  package enum Limit: Sendable {
    case fixed(Double)
    /// The index of a setting with a number.
    case setting(Int)

    /// Returns the limit's number; nil for a setting if the settings are unknown.
    func number(_ settings: Settings?) -> Double? {
      switch self {
      case .fixed(let number): number
      case .setting(let index): settings.map { Double($0[index]) }
      }
    }
  }

  /// Whether the condition is independent of the recipient's settings.
  var isFixed: Bool {
    guard case .numbers(let comparisons) = test else { return true }
    return comparisons.allSatisfy { if case .fixed = $0.limit { true } else { false } }
  }

  /// Returns whether an event with these details meets the condition.
  ///
  /// - Parameter settings: the recipient's settings. If nil, every comparison with a setting is
  ///   true.
  func holds(_ details: [Detail], _ settings: Settings?) -> Bool {
    let value = details.first { $0.field == field }?.value
    switch test {
    case .given(let isGiven): return (value != nil) == isGiven
    case .words(let words): return value?.word.map(words.contains) ?? false
    case .flag(let isOn): return value == .flag(isOn)
    case .numbers(let comparisons):
      guard let number = value?.number else { return false }
      return comparisons.allSatisfy { comparison in
        comparison.limit.number(settings).map { comparison.relation.holds(number, $0) } ?? true
      }
    }
  }
}

extension Detail.Value {
  fileprivate var word: String? {
    if case .text(let text) = self { text } else { nil }
  }

  /// The numeric value; for a tally, its total.
  var number: Double? {
    switch self {
    case .number(let number): Double(number)
    case .decimal(let number): number
    case .tally(let tally): Double(tally.total)
    case .text, .instant, .date, .flag, .person, .place, .plan: nil
    }
  }
}
