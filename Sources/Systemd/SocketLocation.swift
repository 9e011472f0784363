import Glibc

/// The socket of the service, which the service and its clients find by the same rule.
package struct SocketLocation: Hashable, Sendable {
  package let path: String
  /// The socket's directory, if the service creates it and only the service's user may write to it.
  /// Nil if the system or the user provides the directory.
  package let directory: SocketDirectory?

  /// Creates the location of a socket at a configured path.
  package init(path: String) {
    self.path = path
    directory = nil
  }

  private init(in directory: String, mode: UInt32? = nil) {
    path = directory + "/" + Self.name
    self.directory = mode.map { SocketDirectory(path: directory, mode: $0) }
  }

  /// Returns the socket on which the service listens. The first of these that applies determines
  /// it: `$CHIMED_SOCKET`; the directory that systemd created; for root `/run/chimed`;
  /// `$XDG_RUNTIME_DIR`; the user's own directory in `/tmp`.
  package static func server(environment: [String: String], user: UInt32) -> SocketLocation {
    if let path = environment.nonEmpty("CHIMED_SOCKET") { return SocketLocation(path: path) }
    if let created = environment.nonEmpty("RUNTIME_DIRECTORY")?.split(separator: ":").first {
      return SocketLocation(in: String(created))
    }
    if user == 0 { return SocketLocation(in: systemDirectory, mode: 0o755) }
    if let session = environment.nonEmpty("XDG_RUNTIME_DIR") { return SocketLocation(in: session) }
    return temporary(user)
  }

  /// Returns the socket to which a client connects: `$CHIMED_SOCKET`, or the first of the service's
  /// default sockets that exists; nil if none of them exists.
  ///
  /// - Parameter exists: returns whether a file exists at a path.
  package static func client(
    environment: [String: String], user: UInt32, exists: (String) -> Bool
  ) -> SocketLocation? {
    if let path = environment.nonEmpty("CHIMED_SOCKET") { return SocketLocation(path: path) }
    return candidates(environment: environment, user: user).first { exists($0.path) }
  }

  /// Returns the default sockets, in the order in which a client looks for them.
  package static func candidates(
    environment: [String: String], user: UInt32
  ) -> [SocketLocation] {
    let session = environment.nonEmpty("XDG_RUNTIME_DIR").map { SocketLocation(in: $0) }
    return [SocketLocation(in: systemDirectory), session, temporary(user)].compactMap(\.self)
  }

  private static let name = "chimed.sock"
  private static let systemDirectory = "/run/chimed"

  private static func temporary(_ user: UInt32) -> SocketLocation {
    SocketLocation(in: "/tmp/chimed-\(user)", mode: 0o700)
  }
}

extension [String: String] {
  /// Returns the value of a variable; nil if it is unset or empty.
  fileprivate func nonEmpty(_ name: String) -> String? {
    self[name].flatMap { $0.isEmpty ? nil : $0 }
  }
}

/// A socket directory that only one user may write to. In a directory that all users may write to,
/// another user could create the socket first and listen there.
package struct SocketDirectory: Hashable, Sendable {
  package let path: String
  /// The permissions at creation, which are also the maximum allowed.
  package let mode: UInt32

  package init(path: String, mode: UInt32) {
    self.path = path
    self.mode = mode
  }

  /// Creates the directory if it is missing, and checks it.
  package func prepare(for user: UInt32) throws(SocketDirectoryError) {
    guard mkdir(path, mode) == 0 || errno == EEXIST else {
      throw SocketDirectoryError(path, "cannot be created: \(String(cString: strerror(errno)))")
    }
    try check(for: user)
  }

  /// Checks that the path is a directory that belongs to the user and has no permissions beyond
  /// `mode`.
  package func check(for user: UInt32) throws(SocketDirectoryError) {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      throw SocketDirectoryError(path, "cannot be examined: \(String(cString: strerror(errno)))")
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

/// Why a directory is missing or unsafe for a socket.
package struct SocketDirectoryError: Error, Hashable, CustomStringConvertible {
  package let description: String

  init(_ path: String, _ reason: String) {
    description = "\(path) \(reason); or use another socket, by --socket or CHIMED_SOCKET"
  }
}
