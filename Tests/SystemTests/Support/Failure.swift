import Glibc

/// What went wrong with a process under test, or with the test's own calls.
struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }

  /// The result of a system call, unless it failed.
  static func check(_ what: String, _ result: Int32) throws -> Int32 {
    if result >= 0 { return result }
    throw Failure("\(what): \(String(cString: strerror(errno)))")
  }
}
