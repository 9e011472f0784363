import ChimedClient
import JSON
import Testing

/// The Swift client against the service (rule H23).
@OwnThread @Suite struct SwiftClientTests {
  private let workspace: Workspace
  private let port: UInt16

  init() throws {
    workspace = try Workspace()
    port = try FreePort.any()
  }

  private func service() throws -> Service {
    let service = try Service(
      workspace,
      arguments: Service.arguments(workspace, sink: .file) + ["--listen", "127.0.0.1:\(port)"])
    try service.waitUntilReady()
    return service
  }

  private func makeToken(_ service: Service) throws -> String {
    let reply = try service.ask("POST", "/v1/tokens", #"{"name":"test","scope":"admin"}"#)
    return try #require(reply.body["token"]?.stringValue)
  }

  private func client(_ service: Service, at port: Int? = nil) throws -> ChimedClient {
    try ChimedClient("http://127.0.0.1:\(port ?? Int(self.port))", token: makeToken(service))
  }

  private func request(_ title: String) throws -> ChimedEvent {
    try ChimedEvent(
      "notification.requested", of: "u1",
      data: ["category": "LESSON", "title": title, "body": "B"])
  }

  /// Reads a stream until it has sent `count` notifications, and returns their titles. An element
  /// for missed notifications is returned as "missed".
  private func titles(
    _ iterator: inout ChimedStream.AsyncIterator, _ count: Int
  ) async throws -> [String] {
    var titles: [String] = []
    while titles.count < count, let event = try await iterator.next() {
      if case .notification(let delivery) = event.content { titles.append(delivery.title) }
      if case .missed = event.content { titles.append("missed") }
    }
    return titles
  }

  // MARK: - Events

  @Test func `H23: each event of a request is accepted, a duplicate, or refused`() async throws {
    let service = try service()
    let chimed = try client(service)
    let event = ChimedEvent("relapse", of: "u1")
    #expect(try await chimed.send(event) == .accepted)
    let receipts = try await chimed.send([event, ChimedEvent("relaps", of: "u1")])
    #expect(receipts.count == 2 && receipts[0] == .duplicate)
    guard case .refused(let problem) = receipts[1] else {
      Issue.record("\(receipts[1])")
      return
    }
    #expect(problem.status == 422 && problem.path == "type")
    let error = await #expect(throws: ChimedError.self) {
      try await chimed.send(ChimedEvent("relaps", of: "u1"))
    }
    #expect(error?.description.contains("did you mean \"relapse\"?") == true)
    #expect(try await chimed.send([]) == [])
  }

  private struct Events: Decodable {
    struct Event: Decodable {
      let id: String
    }

    let events: [Event]
  }

  @Test func `H23: an event whose answer is lost is ingested once`() async throws {
    let service = try service()
    let relay = try Peer(Self.relay, ["\(port)", "lost"])
    let chimed = try client(service, at: relay.port)
    let event = ChimedEvent("relapse", of: "u1")
    #expect(try await chimed.send(event) == .duplicate)
    let events = try await chimed.read(Events.self, from: "/v1/recipients/u1/events").events
    #expect(events.map(\.id) == [event.identifier])
  }

  private static let relay = Project.root + "/Tests/SystemTests/Peers/http_relay.py"

  // MARK: - Failures

  @Test func `H23: a redirect is not followed`() async throws {
    let service = try service()
    let relay = try Peer(Self.relay, ["\(port)", "redirect"])
    let chimed = try client(service, at: relay.port)
    let error = await #expect(throws: ChimedError.self) {
      try await chimed.request("GET", "/v1/status")
    }
    guard case .refused(let problem) = error else {
      Issue.record("\(error as Any)")
      return
    }
    #expect(problem.status == 307)
  }

  @Test func `an answer that asks for a password ends the request`() async throws {
    let service = try service()
    let relay = try Peer(Self.relay, ["\(port)", "basic"])
    let chimed = try client(service, at: relay.port)
    let error = await #expect(throws: ChimedError.self) {
      try await chimed.request("GET", "/v1/status")
    }
    guard case .refused(let problem) = error else {
      Issue.record("\(error as Any)")
      return
    }
    #expect(problem.status == 401)
  }

  @Test func `a service that sends nothing is late`() async throws {
    let relay = try Peer(Self.relay, ["\(port)", "silent"])
    let chimed = try ChimedClient(
      "http://127.0.0.1:\(relay.port)", token: "t", timeout: .milliseconds(200), retries: .never)
    await #expect(throws: ChimedError.late(.milliseconds(200))) {
      try await chimed.request("GET", "/v1/status")
    }
  }

  @Test func `a missing service is reported as unreachable after the last attempt`() async throws {
    let (waits, continuation) = AsyncStream<Duration>.makeStream()
    let chimed = try ChimedClient(
      "http://127.0.0.1:\(port)", token: "t", retries: ChimedRetries(attempts: 3)
    ) { continuation.yield($0) }
    let error = await #expect(throws: ChimedError.self) {
      try await chimed.send(ChimedEvent("relapse", of: "u1"))
    }
    guard case .unreachable(let reason) = error else {
      Issue.record("\(error as Any)")
      return
    }
    #expect(!reason.isEmpty)
    continuation.finish()
    var count = 0
    for await _ in waits { count += 1 }
    #expect(count == 2)
  }

  @Test func `H1: an invalid token is refused at once`() async throws {
    let service = try service()
    let chimed = try ChimedClient("http://127.0.0.1:\(port)", token: "chimed_none_x")
    let error = await #expect(throws: ChimedError.self) {
      try await chimed.preferences(of: "u1")
    }
    guard case .refused(let problem) = error else {
      Issue.record("\(error as Any)")
      return
    }
    #expect(problem.status == 401)
    #expect(try service.stop() == .exited(0))
  }

  // MARK: - Preferences and devices

  @Test func `P5: a preview changes nothing, and an outdated change is refused`() async throws {
    let service = try service()
    let chimed = try client(service)
    try await chimed.send(ChimedEvent("recipient.updated", of: "u1", data: ["timezone": "UTC"]))
    let before = try await chimed.preferences(of: "u1")
    let quiet = [ChimedSettingChange.set(.quietHoursEnabled, to: true), .set(.capPerDay, to: 3)]
    let preview = try await chimed.preview(quiet, of: "u1")
    #expect(preview.isDryRun && preview.version == before.version)
    #expect(try await chimed.preferences(of: "u1") == before)
    let effects = try await chimed.change(quiet, of: "u1", ifVersion: before.version)
    #expect(!effects.isDryRun && effects.version > before.version)
    #expect(effects.changes == preview.changes)
    let after = try await chimed.preferences(of: "u1")
    #expect(after.version == effects.version)
    #expect(after.value(of: .quietHoursEnabled) == true && after.value(of: .capPerDay) == 3)
    let error = await #expect(throws: ChimedError.self) {
      try await chimed.change(quiet, of: "u1", ifVersion: before.version)
    }
    guard case .refused(let problem) = error else {
      Issue.record("\(error as Any)")
      return
    }
    #expect(problem.status == 412)
  }

  @Test func `N5: a device is registered and removed, and local notifications are fetched`()
    async throws
  {
    let service = try service()
    let chimed = try client(service)
    let device = ChimedDevice(id: "d1", platform: .android, token: "t")
    #expect(try await chimed.register(device, of: "u1") == .accepted)
    #expect(try await chimed.removeDevice("d1", of: "u1") == .accepted)
    try await chimed.send([
      ChimedEvent("recipient.updated", of: "u1", data: ["timezone": "America/New_York"]),
      ChimedEvent("lesson.completed", of: "u1", data: ["day": 1]),
    ])
    let notifications = try await chimed.localNotifications(of: "u1", limit: 8)
    #expect(notifications.count == 8)
    #expect(Set(notifications.map(\.id)).count == 8)
    #expect(notifications.map(\.date) == notifications.map(\.date).sorted())
    #expect(notifications.allSatisfy { !$0.title.isEmpty && !$0.thread.isEmpty })
  }

  // MARK: - Streams

  @Test func `H23: a stream continues after a restart of the service`() async throws {
    let first = try service()
    let chimed = try client(first)
    try await chimed.send(ChimedEvent("relapse", of: "u1"))
    let stream = chimed.stream(of: "u1", includesState: true)
    var iterator = stream.makeAsyncIterator()
    #expect(try await iterator.next()?.content == .connected)
    guard case .state = try await iterator.next()?.content else {
      Issue.record("the stream has no state")
      return
    }
    try await chimed.send(try request("one"))
    #expect(try await titles(&iterator, 1) == ["one"])
    #expect(try first.stop() == .exited(0))

    let second = try service()
    try await chimed.send([try request("two"), try request("three")])
    #expect(try await titles(&iterator, 2) == ["two", "three"])
    #expect(!second.hasEnded)
  }

  @Test func `H23: a stream begins after a stored position`() async throws {
    let service = try service()
    let chimed = try client(service)
    try await chimed.send(ChimedEvent("relapse", of: "u1"))
    var first = chimed.stream(of: "u1").makeAsyncIterator()
    let position = try await first.next()?.position
    try await chimed.send([try request("one"), try request("two")])
    var second = chimed.stream(of: "u1", after: position).makeAsyncIterator()
    #expect(try await titles(&second, 2) == ["one", "two"])
    var third = chimed.stream(of: "u1", after: "none").makeAsyncIterator()
    #expect(try await titles(&third, 1) == ["missed"])
    #expect(!service.hasEnded)
  }

  @Test func `a cancelled stream ends`() async throws {
    let service = try service()
    let chimed = try client(service)
    try await chimed.send(ChimedEvent("relapse", of: "u1"))
    let (connected, continuation) = AsyncStream<Void>.makeStream()
    let reader = Task {
      for try await _ in chimed.stream(of: "u1") { continuation.finish() }
    }
    for await _ in connected {}
    reader.cancel()
    try await reader.value
    #expect(try await chimed.send(ChimedEvent("relapse", of: "u1")) == .accepted)
    #expect(!service.hasEnded)
  }

  @Test func `a stream of an unknown recipient is refused`() async throws {
    let service = try service()
    var iterator = try client(service).stream(of: "none").makeAsyncIterator()
    let error = await #expect(throws: ChimedError.self) { try await iterator.next() }
    guard case .refused(let problem) = error else {
      Issue.record("\(error as Any)")
      return
    }
    #expect(problem.status == 404)
  }

  // MARK: - The example

  /// Compiles the example with the modules that the tests' build has made.
  @Test(.enabled(if: Project.isInstalled("swiftc")), .timeLimit(.minutes(10)))
  func `the example program reports, previews and streams`() throws {
    let service = try service()
    let example = Project.root + "/config/examples/swift-client"
    let objects = ["ChimedClient", "EventStreams"].flatMap { module in
      let directory = Project.programs + "/\(module).build"
      return Files.names(in: directory).filter { $0.hasSuffix(".o") }.map { directory + "/" + $0 }
    }
    let program = workspace.path + "/swift-client"
    _ = try run(
      "/usr/bin/env",
      [
        "swiftc", "-swift-version", "6", "-I", Project.programs + "/Modules",
        "-module-cache-path", Project.programs + "/ModuleCache", example + "/main.swift",
      ] + objects + ["-o", program])
    let report = try run(
      program, ["http://127.0.0.1:\(port)", "u3"], ["CHIMED_TOKEN": makeToken(service)])
    #expect(report.hasPrefix("accepted 2\ndevice accepted\n"), "\(report)")
    #expect(report.contains("local daily-lesson-reminder~"), "\(report)")
    #expect(report.hasSuffix("notification Hello from Swift\n"), "\(report)")
    #expect(try service.stop() == .exited(0))
  }

  @Test(.enabled(if: Project.isInstalled("swift")))
  func `the example's package uses the client's product`() throws {
    let manifest = try run(
      "/usr/bin/env",
      [
        "swift", "package", "--package-path", Project.root + "/config/examples/swift-client",
        "--scratch-path", workspace.path + "/build", "--cache-path", workspace.path + "/cache",
        "--disable-sandbox", "dump-package",
      ], ["HOME": workspace.path])
    let package = try JSONParser.parse(Array(manifest.utf8))
    let dependency = package["targets"]?[0]?["dependencies"]?[0]?["product"]
    #expect(dependency?[0] == "ChimedClient" && dependency?[1] == "chimed")
    let path = package["dependencies"]?[0]?["fileSystem"]?[0]?["path"]?.stringValue
    #expect(path.map { $0 == Project.root || $0 == Project.root + "/" } == true, "\(manifest)")
  }

  private func run(
    _ program: String, _ arguments: [String], _ environment: [String: String] = [:]
  ) throws -> String {
    let child = try ChildProcess(program, arguments, environment: environment)
    let ending = try child.finish(timeout: 170)
    let report = String(decoding: child.output.take(), as: UTF8.self)
    let errors = String(decoding: child.errors.take(), as: UTF8.self)
    #expect(ending == .exited(0), "\(report)\(errors)")
    return report
  }
}
