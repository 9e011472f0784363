/// Collects the mismatches of a test that compares too many values to expect each separately. The
/// description contains the first 20.
struct Mismatches: CustomStringConvertible {
  private(set) var count = 0
  private var firstLines: [String] = []

  mutating func compare<Value: Equatable>(
    _ actual: Value, _ expected: Value, _ subject: @autoclosure () -> String
  ) {
    guard actual != expected else { return }
    count += 1
    if firstLines.count < 20 { firstLines.append("\(subject()): \(actual) instead of \(expected)") }
  }

  var description: String {
    (["\(count) mismatches"] + firstLines).joined(separator: "\n")
  }
}
