import Glibc
import JSON
import Postgres
import PostgresServer
import Testing

/// The servers that a fleet accepts or refuses, and the formats of its store.
@Suite(.enabled(if: PostgresServer.isAvailable, Comment(rawValue: PostgresServer.comment)))
@OwnThread struct FleetServerTests {
  /// A fixed time, so that a repeated event is identical.
  private let time = Report.overdue

  private func event(_ number: Int) -> String {
    Report.milestone("e\(number)", of: "r\(number)", at: time)
  }

  private func batch(_ numbers: Range<Int>) -> String { Report.batch(numbers.map(event)) }

  /// Sends a batch until all of it is accepted, because shards may be moving.
  ///
  /// - Returns: the last answer.
  @discardableResult
  private func report(
    _ numbers: Range<Int>, to name: String, of stage: FleetProcesses
  ) throws -> JSONValue {
    while true {
      let answer = try stage.ask(name, "POST", "/v1/events", batch(numbers)).body
      if answer["refused"] == 0 { return answer }
    }
  }

  /// Rules E3, F7: the primary and its disk are lost at once, and the standby is promoted. It has
  /// all acknowledged events, and the fleet sends each notification once.
  @Test func `a synchronous standby replaces the primary without loss`() throws {
    let server = try PostgresServer.withStandby()
    try server.makeSynchronous()
    let stage = try FleetProcesses(["a", "b"], isForwarding: true, on: server)
    try stage.waitUntilShared(by: 2)
    try report(0..<400, to: "a", of: stage)
    try server.promote()
    for name in ["a", "b"] { try stage.waitUntilLogged("joins again", by: name) }
    try stage.waitUntilShared(by: 2)
    try report(0..<400, to: "b", of: stage)
    let reply = try report(0..<400, to: "a", of: stage)
    #expect(reply["duplicate"] == 400, "\(reply)")
    var events: Int64 = 0
    try PostgresConnection(stage.database.location).query("SELECT count(*) FROM chimed.event") {
      events = $0.integer(0)
    }
    #expect(events == 400)
    try stage.waitUntilDelivered(400)
    #expect(stage.deliveredIDs.values.allSatisfy { Set($0).count == 1 })
    try stage.stopAll()
  }

  /// Rule E3: an asynchronous standby would lack events when it is promoted.
  @Test func `an asynchronous standby is refused unless explicitly allowed`() throws {
    let stage = try FleetProcesses([], on: .withStandby(), hasStore: false)
    let refusal = try stage.createStore()
    #expect(refusal.ending == .exited(69))
    #expect(refusal.text.contains("standbys follow asynchronously"), "\(refusal.text)")
    #expect(refusal.text.contains("--durability local"), "\(refusal.text)")
    let creation = try stage.createStore("--durability", "local")
    #expect(creation.ending == .exited(0), "\(creation.text)")
  }

  /// Rule E3: a node that starts after a standby has become asynchronous logs that.
  @Test func `a standby that has become asynchronous is reported`() throws {
    let server = try PostgresServer.withStandby()
    try server.makeSynchronous()
    let stage = try FleetProcesses(["a"], on: server)
    try stage.waitUntilShared(by: 1)
    try server.makeAsynchronous()
    try stage.start("b")
    try stage.waitUntilLogged("standbys follow asynchronously", by: "b")
    #expect(try stage.stop("b") == .exited(0))
    try stage.stopAll()
  }

  @Test(arguments: [
    ("pooler", "a pooler such as PgBouncer is between chimed and the server"),
    ("bouncer", "a pooler such as PgBouncer is between chimed and the server"),
    ("old", "PostgreSQL 15 or newer is needed, and the server is 14"),
  ])
  func `an unsuitable server is refused`(_ kind: String, _ reason: String) throws {
    let stage = try FleetProcesses([])
    let relay = try Relay(
      "odd_server.py", kind, in: try stage.workspace("a").path, to: stage.database.location)
    try stage.configure("a", database: relay.location)
    let failed = try FailedStart(stage.workspace("a"), stage.arguments("a"))
    #expect(failed.code == 69)
    #expect(failed.message.contains(reason), "\(failed.message)")
    var nodes = 0
    try PostgresConnection(stage.database.location).query("SELECT 1 FROM chimed.node") { _ in
      nodes += 1
    }
    #expect(nodes == 0)
  }

  private func setFormat(_ format: Int, of stage: FleetProcesses) throws {
    try PostgresConnection(stage.database.location).run(
      script: "UPDATE chimed.meta SET value = '\(format)' WHERE key = 'format'")
  }

  /// A version of chimed reads the format that it writes, and the next one. So its nodes still work
  /// when newer nodes have raised the format once. They do not join a fleet with a later format.
  @Test func `a node works with the next format and no later one`() throws {
    let stage = try FleetProcesses(["a"])
    try stage.waitUntilShared(by: 1)
    let finalization = try stage.finalize()
    #expect(finalization.ending == .exited(0), "\(finalization.text)")
    #expect(finalization.text.contains("format 1"), "\(finalization.text)")
    try setFormat(2, of: stage)
    try stage.start("b")
    try stage.waitUntilShared(by: 2)
    for number in 0..<20 { try stage.submit(event(number)) }
    try stage.waitUntilDelivered(20)
    #expect(Set(stage.deliveringNodes.values) == ["a", "b"])
    try setFormat(3, of: stage)
    let failed = try FailedStart(stage.workspace("c"), stage.arguments("c"))
    #expect(failed.code == 69)
    #expect(failed.message.contains("in format 3"), "\(failed.message)")
    #expect(failed.message.contains("reads none beyond 2"), "\(failed.message)")
    let refusal = try stage.finalize()
    #expect(refusal.ending == .exited(69), "\(refusal.text)")
    try stage.stopAll()
  }
}
