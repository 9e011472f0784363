import Glibc

/// Where the service listens and where its clients find it when neither is told: one rule for both.
package struct SocketLocation: Hashable, Sendable {
  package let path: String
  /// The directory that the service makes if it is missing, and that nobody else may write to; nil
  /// where the directory is somebody else's to provide.
  package let directory: SocketDirectory?

  /// A socket at a path that somebody chose.
  package init(path: String) {
    self.path = path
    directory = nil
  }

  private init(in directory: String, mode: UInt32? = nil) {
    path = directory + "/" + Self.name
    self.directory = mode.map { SocketDirectory(path: directory, mode: $0) }
  }

  /// Where the service listens: `$CHIMED_SOCKET`; the directory that systemd made for it; for root
  /// `/run/chimed`; `$XDG_RUNTIME_DIR`; a directory of the user's own in `/tmp`.
  package static func server(environment: [String: String], user: UInt32) -> SocketLocation {
    if let path = environment.given("CHIMED_SOCKET") { return SocketLocation(path: path) }
    if let made = environment.given("RUNTIME_DIRECTORY")?.split(separator: ":").first {
      return SocketLocation(in: String(made))
    }
    if user == 0 { return SocketLocation(in: systemDirectory, mode: 0o755) }
    if let session = environment.given("XDG_RUNTIME_DIR") { return SocketLocation(in: session) }
    return temporary(user)
  }

  /// Where a client connects: `$CHIMED_SOCKET`, or the first that exists of the service's places.
  ///
  /// - Parameter exists: whether there is a file at a path.
  /// - Returns: nil when the service is in none of them.
  package static func client(
    environment: [String: String], user: UInt32, exists: (String) -> Bool
  ) -> SocketLocation? {
    if let path = environment.given("CHIMED_SOCKET") { return SocketLocation(path: path) }
    return candidates(environment: environment, user: user).first { exists($0.path) }
  }

  /// The places in which a client looks, in order.
  package static func candidates(
    environment: [String: String], user: UInt32
  ) -> [SocketLocation] {
    let session = environment.given("XDG_RUNTIME_DIR").map { SocketLocation(in: $0) }
    return [SocketLocation(in: systemDirectory), session, temporary(user)].compactMap(\.self)
  }

  private static let name = "chimed.sock"
  private static let systemDirectory = "/run/chimed"

  private static func temporary(_ user: UInt32) -> SocketLocation {
    SocketLocation(in: "/tmp/chimed-\(user)", mode: 0o700)
  }
}

extension [String: String] {
  /// The value of a variable that is set and not empty.
  fileprivate func given(_ name: String) -> String? {
    self[name].flatMap { $0.isEmpty ? nil : $0 }
  }
}

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

/// Why a directory is not safe for a socket, or cannot be had at all.
package struct SocketDirectoryError: Error, Hashable, CustomStringConvertible {
  package let description: String

  init(_ path: String, _ reason: String) {
    description = "\(path) \(reason); or choose a socket elsewhere, with --socket or CHIMED_SOCKET"
  }
}
