import Glibc

/// The terminal, or what stands in its place.
enum Console {
  static func printError(_ text: String) {
    write(text, to: STDERR_FILENO)
  }

  static func printOutput(_ text: String) {
    write(text, to: STDOUT_FILENO)
  }

  /// Prints something of an output without an end.
  ///
  /// - Returns: whether there is still somebody who reads it.
  static func passOn(_ text: String) -> Bool {
    write(text, to: STDOUT_FILENO)
  }

  /// The variables of the environment that have a bearing on where the service is.
  static var environment: [String: String] {
    var environment: [String: String] = [:]
    for name in ["CHIMED_SOCKET", "XDG_RUNTIME_DIR"] {
      environment[name] = getenv(name).map { String(cString: $0) }
    }
    return environment
  }

  /// Writes all of it; what a reader who has gone no longer takes is dropped.
  @discardableResult
  private static func write(_ text: String, to file: Int32) -> Bool {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
