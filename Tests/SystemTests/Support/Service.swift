import Glibc
import JSON

/// A running `chimed serve`, whose output is read completely.
final class Service {
  /// The file to which the only sink writes deliveries as JSON lines.
  enum Sink {
    case output
    case file
    /// `/dev/full`, which accepts no bytes.
    case full
  }

  let process: ChildProcess
  /// The log so far.
  private(set) var log = ""
  private let workspace: Workspace

  convenience init(_ workspace: Workspace, sink: Sink = .output) throws {
    try self.init(workspace, arguments: Self.arguments(workspace, sink: sink))
  }

  /// - Parameter wrapper: a program with arguments that executes the service.
  init(
    _ workspace: Workspace, arguments: [String], wrapper: [String] = [],
    environment: [String: String] = [:]
  ) throws {
    self.workspace = workspace
    let command = wrapper + [Project.chimed] + arguments
    process = try ChildProcess(
      command[0], Array(command.dropFirst()),
      environment: ["CHIMED_CATALOGS": Project.catalogs].merging(environment) { $1 })
  }

  static func arguments(
    _ workspace: Workspace, sink: Sink = .output, socket: String? = nil,
    catalog: String = "imanpath", state: String? = nil
  ) -> [String] {
    [
      "serve", "--state-directory", state ?? workspace.state,
      "--socket", socket ?? workspace.socket, "--catalog", catalog,
      "--sink", "jsonl:" + target(of: sink, workspace),
    ]
  }

  private static func target(of sink: Sink, _ workspace: Workspace) -> String {
    switch sink {
    case .output: "-"
    case .file: workspace.deliveries
    case .full: "/dev/full"
    }
  }

  /// Whether the log says that clients can connect.
  var isReady: Bool { log.contains("serving on") }
  var hasEnded: Bool { process.output.isAtEnd && process.errors.isAtEnd }

  /// Waits for output of the service, and reads it. The wait also ends when a connection is
  /// readable, or when a connection with unsent data is writable.
  ///
  /// - Parameter others: additional descriptors that end the wait when they are readable.
  func readOutput(_ connections: [Connection] = [], others: [Int32] = []) throws {
    let inlets = [process.output, process.errors].filter { !$0.isAtEnd }
    let open = connections.filter { !$0.isClosed }
    let ready: Set<Int32>
    do {
      ready = try Poll.wait(
        reading: inlets.map(\.descriptor) + open.map(\.descriptor) + others,
        writing: open.filter(\.isSending).map(\.descriptor))
    } catch let nothing as Poll.NothingHappened {
      throw Poll.NothingHappened(seconds: nothing.seconds, log: log)
    }
    for inlet in inlets where ready.contains(inlet.descriptor) { inlet.read() }
    log += String(decoding: process.errors.take(), as: UTF8.self)
  }

  func waitUntilReady() throws {
    while !isReady {
      guard !hasEnded else {
        throw Failure("the service did not start (\(try process.finish())); its log:\n\(log)")
      }
      try readOutput()
    }
  }

  /// Waits for a log entry, which may come after the answer to a request.
  func waitUntilLogged(_ text: String) throws {
    while !log.contains(text) {
      guard !hasEnded else { throw Failure("the service has ended; its log:\n\(log)") }
      try readOutput()
    }
  }

  /// Sends a request and waits for the reply.
  func ask(_ method: String, _ path: String, _ body: String = "") throws -> Connection.Reply {
    let connection = try Connection(to: workspace.socket)
    connection.begin(method, path, body)
    while !connection.isClosed {
      _ = connection.send(upTo: .max)
      if let reply = try connection.receive() { return reply }
      try readOutput([connection])
    }
    throw Failure("the connection ended before there was a reply; the log:\n\(log)")
  }

  /// Waits for this many deliveries on standard output, and removes and returns them.
  func deliveries(_ count: Int) throws -> [JSONValue] {
    var deliveries: [JSONValue] = []
    while true {
      deliveries += try process.output.takeLines().map { try JSONParser.parse(Array($0)) }
      if deliveries.count >= count { return deliveries }
      guard !hasEnded else { throw Failure("the service has ended; its log:\n\(log)") }
      try readOutput()
    }
  }

  /// Stops the service, and waits for its end.
  func stop() throws -> ChildProcess.Ending {
    process.send(SIGTERM)
    while !hasEnded { try readOutput() }
    return try process.finish()
  }
}
