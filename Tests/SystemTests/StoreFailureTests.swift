import CivilTime
import Glibc
import JSON
import Testing

/// Rule S7 for the running program: after a failure of its store, the service answers 503 and ends.
@OwnThread @Suite struct StoreFailureTests {
  private let workspace: Workspace
  private let manager: Manager

  init() throws {
    workspace = try Workspace()
    manager = try Manager(in: workspace)
  }

  private func service() throws -> Service {
    try Service(
      workspace, arguments: Service.arguments(workspace, sink: .file),
      environment: ["WATCHDOG_USEC": "2000000", "NOTIFY_SOCKET": manager.path])
  }

  /// Makes every insert into a table fail, as a faulty disk might.
  private func failInserts(into table: String) throws {
    try SQL.run(
      "CREATE TRIGGER sabotage BEFORE INSERT ON \(table) BEGIN SELECT RAISE(ABORT, 'no'); END",
      on: workspace.database)
  }

  @Test func `S7: after a store failure callers are answered and the service ends`() throws {
    let service = try service()
    try service.waitUntilReady()
    let event = Report.milestone("e1", of: "r1", at: Report.now)
    #expect(try service.ask("POST", "/v1/events", event).status == 202)
    let stream = try Connection(to: workspace.socket)
    stream.begin("GET", "/v1/recipients/r1/stream")
    let slow = try Connection(to: workspace.socket)
    slow.begin("POST", "/v1/events", String(repeating: " ", count: 1_000))
    _ = stream.send(upTo: .max)
    _ = slow.send(upTo: 600)
    #expect(try service.ask("GET", "/healthz").status == 200)

    try failInserts(into: "event")
    let start = ContinuousClock.now
    let next = Report.milestone("e2", of: "r1", at: Report.now)
    let reply = try service.ask("POST", "/v1/events", next)
    #expect(reply.status == 503)
    #expect(reply.body["type"] == "urn:chimed:problem:unavailable")
    manager.read()
    manager.messages = []
    while !service.hasEnded { try service.readOutput() }
    #expect(try service.process.finish() == .exited(74), "\(service.log)")
    #expect(start.duration(to: .now) < .seconds(10))
    manager.read()
    #expect(manager.messages.allSatisfy { !$0.hasPrefix("WATCHDOG=") }, "\(manager.messages)")
    #expect(service.log.contains("the store failed (no)"))
    withExtendedLifetime((stream, slow)) {}
  }

  @Test func `S7: a store that fails during the start ends the start`() throws {
    let first = try service()
    try first.waitUntilReady()
    let futureEvent = Report.milestone("e1", of: "r1", at: Report.now + .seconds(1))
    #expect(try first.ask("POST", "/v1/events", futureEvent).status == 202)
    #expect(try first.stop() == .exited(0))
    // Each start writes to this table.
    try failInserts(into: "meta")
    let second = try service()
    while !second.hasEnded { try second.readOutput() }
    #expect(try second.process.finish() == .exited(74), "\(second.log)")
  }

  @Test(
    .enabled(
      if: ThreadHold.obstacle == nil, "\(ThreadHold.obstacle ?? "a thread can be stopped")"))
  func `S7: the process ends in time although client threads hang`() throws {
    let service = try service()
    try service.waitUntilReady()
    let futureEvent = Report.milestone("e1", of: "r1", at: Report.now + .seconds(2))
    #expect(try service.ask("POST", "/v1/events", futureEvent).status == 202)
    let hold = try ThreadHold("NIO-SGLTN-*", of: service.process)
    try failInserts(into: "notification")
    while !service.hasEnded { try service.readOutput() }
    #expect(try service.process.finish() == .exited(74), "\(service.log)")
    withExtendedLifetime(hold) {}
  }
}
