import Glibc

/// A call to the system that failed, with the errno it gave.
package struct SystemCallError: Error, Equatable, CustomStringConvertible {
  /// What was attempted, in words: "start the watchdog thread".
  package let attempt: String
  package let code: Int32

  package init(_ attempt: String, code: Int32) {
    self.attempt = attempt
    self.code = code
  }

  package var description: String {
    "cannot \(attempt): \(String(cString: strerror(code))) (errno \(code))"
  }

  /// Hands back the result of a call that reports failure as a negative errno.
  package static func check(
    _ attempt: String, _ result: Int32
  ) throws(SystemCallError) -> Int32 {
    guard result >= 0 else { throw SystemCallError(attempt, code: -result) }
    return result
  }
}
