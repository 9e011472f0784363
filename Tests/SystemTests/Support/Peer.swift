import Glibc
import JSON

/// A program in Python that acts as the other side of a sink.
final class Peer {
  let port: Int
  private let process: ChildProcess

  /// The directory of the peers of the sinks' own tests.
  static let directory = Project.root + "/Tests/SinksTests/"

  /// - Parameter interpreter: a tool that `make test` fetches; nil for the system's Python.
  init(_ script: String, _ arguments: [String], interpreter: String? = nil) throws {
    process = try ChildProcess(
      interpreter.map(Project.tool) ?? "/usr/bin/python3", ["-B", script] + arguments, isFed: true)
    var first: ArraySlice<UInt8>?
    while first == nil, !process.output.isAtEnd {
      _ = try Poll.wait(reading: [process.output.descriptor])
      process.output.read()
      first = process.output.takeLine()
    }
    guard let port = first.flatMap({ Int(String(decoding: $0, as: UTF8.self)) }) else {
      _ = try process.finish()
      let errors = String(decoding: process.errors.take(), as: UTF8.self)
      throw Failure("\(script) did not start: \(errors)")
    }
    self.port = port
  }

  /// Waits for the next line.
  func next() throws -> JSONValue {
    while true {
      if let line = process.output.takeLine() { return try JSONParser.parse(Array(line)) }
      guard !process.output.isAtEnd else { throw Failure("the peer has ended") }
      _ = try Poll.wait(reading: [process.output.descriptor])
      process.output.read()
    }
  }

  /// Writes a line and waits for the answer. Drops other lines that come before the answer.
  func ask(_ line: String, until isAnswer: (JSONValue) -> Bool = { _ in true }) throws -> JSONValue
  {
    try process.feed(line)
    while true {
      let answer = try next()
      if isAnswer(answer) { return answer }
    }
  }

  /// Ends the program and all its connections.
  ///
  /// - Returns: the unread lines.
  func stop() throws -> [JSONValue] {
    process.send(SIGKILL)
    _ = try process.finish()
    return try process.output.takeLines().map { try JSONParser.parse(Array($0)) }
  }

  /// Returns the available lines without blocking.
  func lines() throws -> [JSONValue] {
    let isAvailable = try Poll.isReadable(descriptor)
    if isAvailable { process.output.read() }
    return try process.output.takeLines().map { try JSONParser.parse(Array($0)) }
  }

  /// A descriptor that is readable when the program has written a line.
  var descriptor: Int32 { process.output.descriptor }
}

/// The Python environments with packages that `make test` creates.
enum Interpreter {
  static let mail = "aiosmtpd/bin/python"
  static let push = "push/bin/python"
  static let webhooks = "standardwebhooks/bin/python"
}

/// A webhook receiver that verifies every signature with the package `standardwebhooks`.
final class HookPeer {
  let peer: Peer
  /// The sink's configuration with the receiver's address and secret.
  var sink: String {
    "{type: webhook, url: \"http://127.0.0.1:\(peer.port)/\", secret: {credential: hook}, "
      + "allow: 127.0.0.0/8}"
  }

  static var isAvailable: Bool { Project.hasTool(Interpreter.webhooks) }
  static let secret = "whsec_" + String(repeating: "Qm9v", count: 10)
  static let secrets = ["hook": secret]

  init() throws {
    peer = try Peer(
      Project.root + "/Tests/SystemTests/Peers/hook_peer.py", [Self.secret],
      interpreter: Interpreter.webhooks)
  }

  /// Sets the status for all further requests; 0 means never to answer.
  func answer(_ status: Int) throws {
    _ = try peer.ask("\(status)") { $0.integerValue == Int64(status) }
  }
}
