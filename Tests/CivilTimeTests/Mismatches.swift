/// Collects the mismatches of a test that compares too many values for an expectation of each.
/// Describes the first 20.
struct Mismatches: CustomStringConvertible {
  private(set) var count = 0
  private var first: [String] = []

  mutating func compare<Value: Equatable>(
    _ actual: Value, _ expected: Value, _ what: @autoclosure () -> String
  ) {
    guard actual != expected else { return }
    count += 1
    if first.count < 20 { first.append("\(what()): \(actual) instead of \(expected)") }
  }

  var description: String {
    (["\(count) mismatches"] + first).joined(separator: "\n")
  }
}
