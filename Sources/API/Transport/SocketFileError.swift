import Glibc

/// Why the service cannot listen at a path.
package struct SocketFileError: Error, CustomStringConvertible {
  package let description: String

  /// - Parameter code: the system's error number, if that is what went wrong.
  init(_ path: String, _ reason: String, _ code: Int32? = nil) {
    let cause = code.flatMap { strerror($0) }.map { ": " + String(cString: $0) } ?? ""
    description = "\(path) \(reason)\(cause)"
  }
}
