import CivilTime
import Glibc
import JSON
import Postgres
import PostgresServer
import Testing

/// Several services as nodes of one fleet on one database: balanced, killed, suspended, and without
/// their server for a while.
@Suite(.enabled(if: PostgresServer.isAvailable, Comment(rawValue: PostgresServer.comment)))
@OwnThread struct FleetProcessTests {
  private func event(_ number: Int) -> String {
    Report.milestone("e\(number)", of: "r\(number)", at: Report.overdue)
  }

  @Test func `recipients are divided among nodes and notified once`() throws {
    let stage = try FleetProcesses(["a", "b", "c"])
    try stage.waitUntilShared(by: 3)
    for number in 0..<30 { try stage.submit(event(number)) }
    var index = 0
    for number in 30..<60 {
      // These nodes forward no requests, so only the recipient's owner accepts the event.
      while try stage.ask(["a", "b", "c"][index % 3], event(number)) == 503 { index += 1 }
    }
    try stage.waitUntilDelivered(60)
    #expect(stage.deliveredIDs.count == 60)
    #expect(stage.deliveredIDs.values.allSatisfy { $0.count == 1 })
    let deliveringNodes = Set(stage.deliveringNodes.values)
    #expect(deliveringNodes == ["a", "b", "c"])
    try stage.stopAll()
  }

  /// Rule F5: other nodes send the unsent deliveries, and repeat, under the same id, those that may
  /// have been sent.
  @Test func `a killed node is replaced`() throws {
    let stage = try FleetProcesses(["a", "b", "c"])
    try stage.waitUntilShared(by: 3)
    for number in 0..<150 { try stage.submit(event(number)) }
    try stage.waitUntilDelivered(10)
    try stage.kill("b")
    for number in 150..<200 { try stage.submit(event(number)) }
    try stage.waitUntilDelivered(200)
    #expect(stage.deliveredIDs.values.allSatisfy { Set($0).count == 1 })
    try stage.waitUntilShared(by: 2)
    let line = "chimed_fleet_evictions_total{reason=\"gone\"} 1\n"
    let evictors = try ["a", "c"].filter {
      try stage.ask($0, "GET", "/metrics").body.stringValue?.contains(line) == true
    }
    #expect(evictors.count == 1, "one of the others has evicted it")
    try stage.stopAll()
  }

  /// Rules F4, F5: a node suspended for longer than a lease has lost its shards, and notices that.
  @Test func `a suspended node is fenced and joins again`() throws {
    let stage = try FleetProcesses(["a", "b"])
    try stage.waitUntilShared(by: 2)
    try stage.send(SIGSTOP, to: "a")
    try stage.checkTakeover(of: "a", by: "b", event) { try stage.send(SIGCONT, to: "a") }
    try stage.stopAll()
  }

  /// A node that is stopped gives all its shards to the others and leaves.
  @Test func `a stopped node releases its shards`() throws {
    let stage = try FleetProcesses(["a", "b"])
    try stage.waitUntilShared(by: 2)
    #expect(try stage.stop("a") == .exited(0))
    try stage.waitUntilShared(by: 1)
    for number in 0..<10 { try stage.submit(event(number)) }
    try stage.waitUntilDelivered(10)
    try stage.stopAll()
  }

  /// Rule F8: an update is drain, stop, start and undrain. A drained node gets no shards meanwhile.
  @Test func `a drained node stays drained when it is started again`() throws {
    let stage = try FleetProcesses(["a", "b"])
    try stage.waitUntilShared(by: 2)
    #expect(try stage.ask("a", "POST", "/v1/fleet/nodes/b/drain").status == 200)
    try stage.waitUntilShared(by: 1)
    #expect(try stage.stop("b") == .exited(0))
    try stage.start("b")
    try stage.waitUntilLogged("has no shards left", by: "b")
    for number in 0..<10 { try stage.submit(event(number)) }
    try stage.waitUntilDelivered(10)
    #expect(Set(stage.deliveringNodes.values) == ["a"])
    #expect(try stage.ask("b", "POST", "/v1/fleet/nodes/b/undrain").status == 200)
    try stage.waitUntilShared(by: 2)
    try stage.stopAll()
  }

  /// Rule F6: a node whose clock is a minute off logs that and takes over nothing. No other node
  /// waits for it. The nodes with right clocks report it and own all shards.
  @Test(.enabled(if: FastClock.isAvailable, "the clock needs a C compiler"), arguments: [1, -1])
  func `a node with a wrong clock takes over nothing`(_ minutes: Int) throws {
    let stage = try FleetProcesses([])
    let clock = try FastClock(in: stage.workspace("b"), at: Report.now + .minutes(minutes))
    try stage.start("b", environment: clock.environment)
    try stage.waitUntilLogged("its shards go to nodes whose clocks are right", by: "b")
    try stage.start("a")
    try stage.waitUntilShared(by: 1)
    try stage.waitUntilLogged("serving on", by: "a")
    #expect(try stage.ask("a", "GET", "/v1/fleet").body["skewedNodes"] == ["b"])
    for number in 0..<30 { try stage.submit(event(number)) }
    try stage.waitUntilDelivered(30)
    try stage.kill("a")
    try stage.waitUntilLogged("its session has ended", by: "b")
    for number in 30..<60 { try stage.submit(event(number)) }
    try stage.start("a")
    try stage.waitUntilShared(by: 1)
    try stage.waitUntilDelivered(60)
    #expect(stage.deliveredIDs.values.allSatisfy { Set($0).count == 1 })
    #expect(Set(stage.deliveringNodes.values) == ["a"])
    try stage.stopAll()
  }

  /// The wall clock is set back while the node serves. The node's deadlines use another clock.
  @Test(.enabled(if: FastClock.isAvailable, "the clock needs a C compiler"))
  func `a node whose clock is set back is not considered silent`() throws {
    let stage = try FleetProcesses([])
    let clock = try FastClock(in: stage.workspace("a"), at: Report.now)
    try stage.start("a", environment: clock.environment)
    try stage.start("b")
    try stage.waitUntilShared(by: 2)
    try clock.go(from: Report.now - .minutes(1), rate: 1)
    try stage.waitUntilLogged("behind PostgreSQL's: its shards go to nodes", by: "a")
    try clock.go(from: Report.now, rate: 1)
    try stage.waitUntilLogged("the clock agrees with PostgreSQL's again", by: "a")
    #expect(try stage.stop("a") == .exited(0))
    try stage.stopAll()
  }

  /// A reload affects the current engine and later ones; fixed settings are reported.
  @Test func `a node can be reloaded`() throws {
    let stage = try FleetProcesses(["a"])
    try stage.waitUntilShared(by: 1)
    try stage.configure("a", database: stage.database.location, lease: "4s")
    let reply = try stage.ask("a", "POST", "/v1/reload")
    #expect(reply.status == 200)
    #expect(reply.body["restart"]?[0] == "fleet", "\(reply.body)")
    try stage.database.disconnectAll()
    try stage.waitUntilLogged("joins again", by: "a")
    try stage.submit(event(1))
    try stage.waitUntilDelivered(1)
    let settings = try stage.ask("a", "GET", "/v1/configuration").body["settings"]?.arrayValue
    let name = settings?.first { $0["name"] == "fleet.name" }
    #expect(name?["value"] == "a" && name?["from"] == "file")
    try stage.stopAll()
  }

  /// Rule F7: no restart is necessary after an outage of the server.
  @Test func `nodes continue after an outage of the server`() throws {
    let server = try PostgresServer.unshared()
    let stage = try FleetProcesses(["a", "b"], on: server)
    try stage.waitUntilShared(by: 2)
    for number in 0..<20 { try stage.submit(event(number)) }
    try stage.waitUntilDelivered(20)
    try server.restart()
    for name in ["a", "b"] { try stage.waitUntilLogged("joins again", by: name) }
    try stage.waitUntilShared(by: 2)
    for number in 20..<40 { try stage.submit(event(number)) }
    try stage.waitUntilDelivered(40)
    #expect(stage.deliveredIDs.values.allSatisfy { Set($0).count == 1 })
    try stage.stopAll()
  }

  /// A database without tables ends the start; a missing server does not.
  @Test func `a start reports missing tables and waits for a missing server`() throws {
    let stage = try FleetProcesses([])
    try stage.start("a")
    try stage.waitUntilShared(by: 1)
    // Kills the node first, because its queries could deadlock with the removal of the tables.
    try stage.kill("a")
    try PostgresConnection(stage.database.location).run(script: "DROP SCHEMA chimed CASCADE")
    let failed = try FailedStart(stage.workspace("b"), stage.arguments("b"))
    #expect(failed.code == 69)
    #expect(failed.message.contains("chimed fleet init"), "\(failed.message)")
    try stage.configure("c", database: "host=\(try stage.workspace("c").path) dbname=none")
    let waiting = try Service(stage.workspace("c"), arguments: stage.arguments("c"))
    try waiting.waitUntilLogged("no requests are served until PostgreSQL can be used")
    waiting.process.send(SIGTERM)
    while !waiting.hasEnded { try waiting.readOutput() }
    #expect(try waiting.process.finish() == .exited(0))
  }
}
