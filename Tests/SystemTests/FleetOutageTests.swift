import Glibc
import JSON
import Postgres
import PostgresServer
import Testing

/// Nodes of one fleet whose server, network or peers fail silently.
@Suite(.enabled(if: PostgresServer.isAvailable, Comment(rawValue: PostgresServer.comment)))
@OwnThread struct FleetOutageTests {
  /// A fixed time, so that a repeated event is identical.
  private let time = Report.overdue

  private func event(_ number: Int) -> String {
    Report.milestone("e\(number)", of: "r\(number)", at: time)
  }

  private func batch(_ numbers: Range<Int>) -> String { Report.batch(numbers.map(event)) }

  /// Rules F4, F5: the connections of node a to the server stay open but carry nothing. Node b
  /// takes over. Node a logs the silence, answers 503, delivers nothing, and later joins again.
  @Test func `a node that is cut off is replaced and joins again`() throws {
    let stage = try FleetProcesses([])
    let relay = try Relay(
      in: try stage.workspace("a").path, to: stage.database.location)
    try stage.configure("a", database: relay.location)
    for name in ["a", "b"] { try stage.start(name) }
    try stage.waitUntilLogged("serving on", by: "a")
    try stage.waitUntilShared(by: 2)
    relay.pause()
    // Node a owns some of these recipients.
    for number in 90..<98 {
      let reply = try stage.ask("a", "POST", "/v1/events", event(number))
      #expect(reply.status == 503 && reply.retryAfter != nil, "\(reply.body)")
    }
    try stage.waitUntilLogged("keeps the connection open and has not answered", by: "a")
    try stage.checkTakeover(of: "a", by: "b", event) { relay.resume() }
    try stage.stopAll()
  }

  /// Rule F9: a node that accepts connections and never answers affects only its own recipients,
  /// and only until it is fenced.
  @Test func `a node that hangs delays only its own recipients' events`() throws {
    let stage = try FleetProcesses(["a", "b"], isForwarding: true)
    try stage.waitUntilShared(by: 2)
    try stage.send(SIGSTOP, to: "b")
    let reply = try stage.ask("a", "POST", "/v1/events", batch(0..<60))
    let items = reply.body["items"]?.arrayValue ?? []
    #expect(items.count == 60, "\(reply.body)")
    let refused = items.filter { $0["status"] == "refused" }
    #expect(!refused.isEmpty && refused.count < 60)
    #expect(refused.allSatisfy { $0["problem"]?["status"] == 503 }, "\(refused)")
    try stage.waitUntilShared(by: 1)
    while try stage.ask("a", "POST", "/v1/events", batch(0..<60)).body["refused"] != 0 {}
    try stage.waitUntilDelivered(60)
    try stage.send(SIGCONT, to: "b")
    try stage.waitUntilLogged("joins again", by: "b")
    #expect(stage.deliveredIDs.values.allSatisfy { Set($0).count == 1 })
    try stage.stopAll()
  }

  /// Rule E3: events are refused while the server's disk is full, and accepted once it has space.
  @Test func `a full disk of the server delays events and loses none`() throws {
    let stage = try FleetProcesses(["a"])
    try stage.waitUntilShared(by: 1)
    #expect(try stage.ask("a", event(0)) == 202)
    try stage.waitUntilDelivered(1)
    let other = try PostgresConnection(stage.database.location)
    try other.run(
      script: """
        CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE 'could not extend file' USING ERRCODE = 'disk_full'; END $$;
        CREATE TRIGGER fill BEFORE INSERT ON chimed.event EXECUTE FUNCTION fill();
        """)
    let reply = try stage.ask("a", "POST", "/v1/events", event(1))
    #expect(reply.status == 507, "\(reply.body)")
    #expect(reply.body["type"] == "urn:chimed:problem:storage-full")
    try other.run(script: "DROP FUNCTION fill CASCADE")
    while try stage.ask("a", event(1)) == 507 {}
    try stage.waitUntilDelivered(2)
    #expect(stage.deliveredIDs.values.allSatisfy { $0.count == 1 })
    try stage.stopAll()
  }

  /// Rule E1: all events of a large batch are recognized as duplicates when another node receives
  /// the batch again, even while an old snapshot of the store is open.
  @Test func `every event of a repeated batch is recognized as a duplicate`() throws {
    let stage = try FleetProcesses(["a", "b"], isForwarding: true)
    try stage.waitUntilShared(by: 2)
    let reader = try PostgresConnection(stage.database.location)
    try reader.run(
      script: "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM chimed.event")
    // Repeats the batch while some shards are moving.
    while try stage.ask("a", "POST", "/v1/events", batch(0..<5_000)).body["refused"] != 0 {}
    for name in ["a", "b"] {
      let repetition = try stage.ask(name, "POST", "/v1/events", batch(0..<5_000))
      #expect(repetition.body["duplicate"] == 5_000, "\(name)")
    }
    try stage.waitUntilDelivered(5_000)
    #expect(stage.deliveredIDs.values.allSatisfy { $0.count == 1 })
    try reader.run(script: "COMMIT")
    try stage.stopAll()
  }
}
