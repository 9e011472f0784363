import Glibc
import Synchronization

/// The file that a listening Unix socket has in the file system.
final class SocketFile: Sendable {
  let path: String
  private let state = Mutex(State())

  private struct State {
    /// Which file it is, once it is ours, so that no other's is ever removed.
    var identity: Identity?
    var failure: SocketFileError?
  }

  private struct Identity: Equatable {
    var device: dev_t
    var inode: ino_t

    init(_ status: stat) {
      device = status.st_dev
      inode = status.st_ino
    }
  }

  init(path: String) {
    self.path = path
  }

  /// Makes room for a socket: removes the file that a dead process left there.
  ///
  /// - Throws: when the path cannot be had, or when somebody listens there.
  func clear() throws(SocketFileError) {
    guard path.utf8.count < Self.longestPath else {
      throw SocketFileError(
        path, "is longer than a socket's path may be, 107 bytes; choose another")
    }
    var status = stat()
    guard lstat(path, &status) == 0 else {
      if errno == ENOENT { return }
      throw SocketFileError(path, "cannot be looked at", errno)
    }
    guard status.st_mode & S_IFMT == S_IFSOCK else {
      throw SocketFileError(
        path, "is in the way and is no socket; remove it or choose another path")
    }
    if try isAnswered() {
      throw SocketFileError(
        path, "is in use by another process; stop that one or choose another path")
    }
    guard unlink(path) == 0 || errno == ENOENT else {
      throw SocketFileError(path, "is left over from a dead process and cannot be removed", errno)
    }
  }

  /// Gives the file its permissions and remembers it as ours; false when that fails, for a reason
  /// that `failure` then tells.
  func claim(mode: mode_t) -> Bool {
    var status = stat()
    guard chmod(path, mode) == 0, lstat(path, &status) == 0 else {
      let failure = SocketFileError(path, "cannot be given its permissions", errno)
      state.withLock { $0.failure = failure }
      return false
    }
    let identity = Identity(status)
    state.withLock { $0.identity = identity }
    return true
  }

  var failure: SocketFileError? { state.withLock { $0.failure } }

  /// Removes the file if it is still ours.
  func remove() {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    if state.withLock({ $0.identity }) == Identity(status) { unlink(path) }
  }

  private static let longestPath = MemoryLayout.size(ofValue: sockaddr_un().sun_path)

  /// Whether somebody listens. A queue of connections that is full is an answer too.
  private func isAnswered() throws(SocketFileError) -> Bool {
    let socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard socket >= 0 else { throw SocketFileError(path, "cannot be tried", errno) }
    defer { close(socket) }
    if connect(to: socket) == 0 { return true }
    switch errno {
    case ECONNREFUSED, ENOENT: return false
    case EAGAIN, EINPROGRESS: return true
    default: throw SocketFileError(path, "cannot be tried", errno)
    }
  }

  private func connect(to socket: Int32) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    return withUnsafeBytes(of: &address) { bytes in
      guard let start = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return -1 }
      return Glibc.connect(socket, start, socklen_t(bytes.count))
    }
  }
}
