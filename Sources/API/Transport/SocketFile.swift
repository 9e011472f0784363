import Glibc
import Synchronization

/// The file of a listening Unix socket.
final class SocketFile: Sendable {
  let path: String
  /// The identity of the file that this process created, so that the process never removes another
  /// file.
  private let identity = Mutex<Identity?>(nil)

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

  /// Removes a stale file and listens at the path. The file gets its permissions before clients can
  /// connect.
  ///
  /// - Returns: the listening socket, which the caller must close.
  func listen(mode: mode_t) throws(SocketFileError) -> CInt {
    try removeStaleFile()
    let socket = try open()
    do throws(SocketFileError) {
      try check(withAddress { Glibc.bind(socket, $0, $1) }, "cannot be bound")
      try claim(mode: mode)
      try check(Glibc.listen(socket, ListeningSocket.backlog), "cannot be bound")
    } catch {
      remove()
      close(socket)
      throw error
    }
    return socket
  }

  /// Removes the file that a dead process has left at the path, if there is one.
  ///
  /// - Throws: if the path is not usable, or if a process listens there.
  func removeStaleFile() throws(SocketFileError) {
    guard try isSocket() else { return }
    if try isListenedTo() {
      throw SocketFileError(
        path, "is in use by another process; stop that one or choose another path")
    }
    guard unlink(path) == 0 || errno == ENOENT else {
      throw SocketFileError(path, "is left over from a dead process and cannot be removed", errno)
    }
  }

  /// Whether a socket file is at the path. The process that created it may be dead.
  ///
  /// - Throws: if the path is not usable, whether or not a process listens there.
  func isSocket() throws(SocketFileError) -> Bool {
    guard path.utf8.count < Self.pathSizeMax else {
      throw SocketFileError(
        path, "is longer than 107 bytes, the limit for sockets; choose another path")
    }
    var status = stat()
    guard lstat(path, &status) == 0 else {
      if errno == ENOENT { return false }
      throw SocketFileError(path, "cannot be inspected", errno)
    }
    guard status.st_mode & S_IFMT == S_IFSOCK else {
      throw SocketFileError(
        path, "exists and is not a socket; remove it or choose another path")
    }
    return true
  }

  /// Removes the file if it is still the one that this process created. Call this before the socket
  /// is closed; afterwards, another file may have the same identity.
  func remove() {
    identity.withLock { identity in
      var status = stat()
      if let created = identity, lstat(path, &status) == 0, created == Identity(status) {
        unlink(path)
      }
      identity = nil
    }
  }

  /// Sets the permissions of the file and records its identity.
  private func claim(mode: mode_t) throws(SocketFileError) {
    var status = stat()
    try check(lstat(path, &status), "cannot be inspected")
    let created = Identity(status)
    identity.withLock { $0 = created }
    try check(chmod(path, mode), "cannot be given its permissions")
  }

  /// The size of a socket's path in bytes, including the terminating zero.
  private static let pathSizeMax = MemoryLayout.size(ofValue: sockaddr_un().sun_path)

  /// Whether a process listens at the path. A full queue of connections means that a process does.
  private func isListenedTo() throws(SocketFileError) -> Bool {
    let socket = try open()
    defer { close(socket) }
    if withAddress({ connect(socket, $0, $1) }) == 0 { return true }
    switch errno {
    case ECONNREFUSED, ENOENT: return false
    case EAGAIN, EINPROGRESS: return true
    default: throw SocketFileError(path, "cannot be connected to", errno)
    }
  }

  private func open() throws(SocketFileError) -> CInt {
    let flags = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
    let socket = socket(AF_UNIX, CInt(flags), 0)
    try check(socket, "cannot create a socket")
    return socket
  }

  private func withAddress(_ call: (UnsafePointer<sockaddr>, socklen_t) -> CInt) -> CInt {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        call($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  private func check(_ result: CInt, _ reason: String) throws(SocketFileError) {
    if result < 0 { throw SocketFileError(path, reason, errno) }
  }
}

/// Why the service cannot listen at a path.
package struct SocketFileError: Error, CustomStringConvertible {
  package let description: String

  /// - Parameter code: the system's error number, if there is one.
  init(_ path: String, _ reason: String, _ code: Int32? = nil) {
    let cause = code.flatMap { strerror($0) }.map { ": " + String(cString: $0) } ?? ""
    description = "\(path) \(reason)\(cause)"
  }
}
