import Glibc

/// A directory for a socket that must be one user's alone to write to: in a place where everybody
/// may write, somebody else could have made it first and be listening there.
package struct SocketDirectory: Hashable, Sendable {
  package let path: String
  /// The permissions that it is made with, and that it may have at the most.
  package let mode: UInt32

  package init(path: String, mode: UInt32) {
    self.path = path
    self.mode = mode
  }

  /// Makes the directory unless it is there, and checks it.
  package func prepare(for user: UInt32) throws(SocketDirectoryError) {
    guard mkdir(path, mode) == 0 || errno == EEXIST else {
      throw SocketDirectoryError(path, "cannot be made: \(String(cString: strerror(errno)))")
    }
    try check(for: user)
  }

  /// Checks that what is there is a directory that belongs to the user, and that no other may write
  /// to.
  package func check(for user: UInt32) throws(SocketDirectoryError) {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      throw SocketDirectoryError(path, "cannot be looked at: \(String(cString: strerror(errno)))")
    }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      throw SocketDirectoryError(path, "is not a directory")
    }
    guard status.st_uid == user else {
      throw SocketDirectoryError(path, "belongs to user \(status.st_uid), not to you, \(user)")
    }
    let excess = status.st_mode & 0o777 & ~mode
    guard excess == 0 else {
      throw SocketDirectoryError(path, "is open to others; chmod it to \(String(mode, radix: 8))")
    }
  }
}
