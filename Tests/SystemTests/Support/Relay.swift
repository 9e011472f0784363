import Glibc

/// A relay between a node and its PostgreSQL server, which carries nothing while it is stopped.
final class Relay {
  /// The location for libpq: the same database through this relay.
  let location: String
  private let process: ChildProcess

  /// - Parameters:
  ///   - script: the file name of a peer.
  ///   - kind: the peer's behaviour, if it has several.
  ///   - directory: the directory of its socket.
  ///   - location: the server's location, with the directory of its socket as host.
  init(
    _ script: String = "relay.py", _ kind: String? = nil, in directory: String,
    to location: String
  ) throws {
    let words = location.split(separator: " ")
    guard let host = words.first(where: { $0.hasPrefix("host=") }) else {
      throw Failure("\(location) names no host")
    }
    self.location = location.replacing(host, with: "host=\(directory)")
    let name = "/.s.PGSQL.5432"
    process = try ChildProcess(
      "/usr/bin/python3",
      [
        "-B", Project.root + "/Tests/SystemTests/Peers/" + script, directory + name,
        host.dropFirst(5) + name,
      ] + (kind.map { [$0] } ?? []))
    while process.output.takeLine() == nil {
      guard !process.output.isAtEnd else { throw Failure("no relay could be started") }
      _ = try Poll.wait(reading: [process.output.descriptor])
      process.output.read()
    }
  }

  /// Stops the relay: connections stay open and carry nothing.
  func pause() { process.send(SIGSTOP) }

  /// Continues the relay.
  func resume() { process.send(SIGCONT) }
}
