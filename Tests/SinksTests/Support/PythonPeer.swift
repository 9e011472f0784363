import Foundation
import JSON
import TestSupport
import Testing

/// A program in `Peers/` that plays the other side, on a port of the loopback interface; it ends
/// with this value.
final class PythonPeer: Sendable {
  let port: Int
  private let child: ChildProcess
  private let directory: TemporaryDirectory

  /// - Parameters:
  ///   - script: is given the name of its log, the port if that matters (0) and `arguments`, writes
  ///     its port, and ends with its standard input.
  ///   - python: the interpreter, if it needs packages of its own.
  init(
    _ script: String, _ arguments: [String] = [], port: Int = 0, python: String = "python3"
  ) throws {
    directory = try TemporaryDirectory()
    let words =
      [python, "-B", Self.peers + "/" + script, directory.path + "/log", "\(port)"] + arguments
    child = try ChildProcess(words)
    self.port = try #require(Int(child.readLine()), "\(script) has not started")
  }

  /// Ends it at once, and returns when its port is closed.
  func stop() {
    child.stop()
  }

  /// Makes a file beside its log, by which it knows how to behave.
  func order(_ name: String, _ text: String = "") throws {
    try directory.write(text, to: name)
  }

  /// What it has noted, in order.
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
