/// A violation of a rule, with its location and the remedy.
struct Violation: Equatable, CustomStringConvertible {
  let path: String
  /// The number of the line, counted from 1.
  let line: Int
  let message: String

  var description: String { "\(path):\(line): \(message)" }
}
