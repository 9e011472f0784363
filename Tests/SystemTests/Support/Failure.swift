import Glibc

/// An error of a process under test, or of a system call by the test.
struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }

  /// Returns the result of a system call, or throws if it failed.
  static func check(_ what: String, _ result: Int32) throws -> Int32 {
    if result >= 0 { return result }
    throw Failure("\(what): \(String(cString: strerror(errno)))")
  }
}
