/// A place where the project breaks one of its rules, and what to do about it.
struct Violation: Equatable, CustomStringConvertible {
  let path: String
  /// Counted from 1, as editors do.
  let line: Int
  let message: String

  var description: String { "\(path):\(line): \(message)" }
}
