/// Why a directory is not safe for a socket, or cannot be had at all.
package struct SocketDirectoryError: Error, Hashable, CustomStringConvertible {
  package let description: String

  init(_ path: String, _ reason: String) {
    description = "\(path) \(reason); or choose a socket elsewhere, with --socket or CHIMED_SOCKET"
  }
}
