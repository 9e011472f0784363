import Reminders

/// A sequence of choices that follows from a seed alone, so that a search can be repeated.
struct SeededChoices: Sendable {
  private var state: UInt64

  init(seed: UInt64) {
    state = mixed(seed)
  }

  /// Returns a number from 0 up to but excluding `count`, which must be above 0.
  mutating func number(below count: Int) -> Int {
    state &+= 1
    return Int(mixed(state) % UInt64(max(count, 1)))
  }

  mutating func number(in range: ClosedRange<Int>) -> Int {
    range.lowerBound + number(below: range.count)
  }

  /// Returns true once in `count` times on average.
  mutating func isOne(of count: Int) -> Bool { number(below: count) == 0 }

  /// Returns one of the choices, which must not be empty.
  mutating func pick<Choice>(_ choices: [Choice]) -> Choice {
    choices[number(below: choices.count)]
  }
}
