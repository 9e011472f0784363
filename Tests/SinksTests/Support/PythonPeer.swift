import Foundation
import JSON
import TestSupport
import Testing

/// A program in `Peers/` that acts as a server on a loopback port, and ends with this object.
final class PythonPeer: Sendable {
  let port: Int
  private let child: ChildProcess
  private let directory: TemporaryDirectory

  /// - Parameters:
  ///   - script: the script's file name. The script gets the name of its log, the port (0 for any)
  ///     and `arguments`. It prints its port, and ends when its standard input ends.
  ///   - python: an interpreter with the necessary packages, if any.
  init(
    _ script: String, _ arguments: [String] = [], port: Int = 0, python: String = "python3"
  ) throws {
    directory = try TemporaryDirectory()
    let commandLine =
      [python, "-B", Self.peers + "/" + script, directory.path + "/log", "\(port)"] + arguments
    child = try ChildProcess(commandLine)
    self.port = try #require(Int(child.readLine()), "\(script) has not started")
  }

  /// Kills the program, and returns once its port is closed.
  func stop() {
    child.stop()
  }

  /// Creates a file beside the program's log that controls the program's behaviour.
  func order(_ name: String, _ text: String = "") throws {
    try directory.write(text, to: name)
  }

  /// The recorded requests, in order.
  var received: [JSONValue] {
    get throws {
      guard FileManager.default.fileExists(atPath: directory.path + "/log") else { return [] }
      return try directory.text(of: "log").split(separator: "\n").map {
        try JSONParser().parse(String($0))
      }
    }
  }

  static let peers = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Peers").path
}
