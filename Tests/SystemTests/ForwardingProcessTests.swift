import Glibc
import JSON
import Postgres
import PostgresServer
import Testing

/// Services as nodes of one fleet that forward requests to each other, with certificates.
@Suite(.enabled(if: PostgresServer.isAvailable, Comment(rawValue: PostgresServer.comment)))
@OwnThread struct ForwardingProcessTests {
  /// A fixed time, so that a repeated event is identical.
  private let time = Report.overdue

  private func event(_ number: Int) -> String {
    Report.milestone("e\(number)", of: "r\(number)", at: time)
  }

  /// Rule F9: any node accepts the request, and the recipient's owner handles it once.
  @Test func `any node accepts events of any recipient`() throws {
    let stage = try FleetProcesses(["a", "b", "c"], isForwarding: true)
    try stage.waitUntilShared(by: 3)
    for number in 0..<60 {
      let name = ["a", "b", "c"][number % 3]
      // Repeats the request while its shard is moving.
      while try stage.ask(name, event(number)) == 503 {}
    }
    try stage.waitUntilDelivered(60)
    #expect(stage.deliveredIDs.values.allSatisfy { $0.count == 1 })
    #expect(Set(stage.deliveringNodes.values) == ["a", "b", "c"])
    // Any node recognizes a duplicate.
    for name in ["a", "b", "c"] {
      let reply = try stage.ask(name, "POST", "/v1/events", event(7))
      #expect(reply.status == 200 && reply.body["status"] == "duplicate", "\(reply.body)")
    }
    try stage.stopAll()
  }

  /// Node a divides a batch by owner, and node b is killed. The test sends the events that were not
  /// acknowledged again. Each event is delivered under one id.
  @Test func `a batch is accepted although one node is killed`() throws {
    let stage = try FleetProcesses(["a", "b"], isForwarding: true)
    try stage.waitUntilShared(by: 2)
    var unacknowledged = Set(0..<200)
    var requestCount = 0
    while !unacknowledged.isEmpty {
      requestCount += 1
      let numbers = unacknowledged.sorted()
      let batch = "[" + numbers.map(event).joined(separator: ",") + "]"
      let reply = try stage.ask("a", "POST", "/v1/events", batch)
      let items = reply.body["items"]?.arrayValue ?? []
      for (number, item) in zip(numbers, items) where item["status"] != "refused" {
        unacknowledged.remove(number)
      }
      if requestCount == 1 {
        #expect(items.count == 200, "\(reply.body)")
        // Some events are repeated, and some are new.
        unacknowledged.formUnion(100..<300)
        try stage.kill("b")
      }
    }
    try stage.waitUntilDelivered(300)
    #expect(stage.deliveredIDs.values.allSatisfy { Set($0).count == 1 })
    try stage.stopAll()
  }

  private func booking(_ number: Int) -> String {
    """
    {"specversion": "1.0", "id": "b\(number)", "source": "shop", "type": "booked",
     "subject": "patient\(number)", "time": "\(time)",
     "data": {"visit": "\(number)", "at": "\(time)", "carer": "carer\(number)"}}
    """
  }

  /// Rules F3, G5: the recipient that an event names is notified under one id, whichever node owns
  /// that recipient, although one node is killed.
  @Test func `a recipient that an event names is notified by the recipient's owner`() throws {
    let stage = try FleetProcesses(["a", "b", "c"], isForwarding: true)
    try stage.waitUntilShared(by: 3)
    for number in 0..<60 {
      while try stage.ask(number % 2 == 0 ? "a" : "c", booking(number)) == 503 {}
      if number == 30 { try stage.kill("b") }
    }
    try stage.waitUntilDelivered(60)
    #expect(stage.deliveredIDs.keys.allSatisfy { $0.hasPrefix("carer") })
    #expect(stage.deliveredIDs.values.allSatisfy { Set($0).count == 1 })
    for number in 0..<60 {
      // Repeats the request while its shard is moving.
      var reply = try stage.ask("a", "POST", "/v1/events", booking(number))
      while reply.status == 503 {
        reply = try stage.ask("a", "POST", "/v1/events", booking(number))
      }
      #expect(reply.body["status"] == "duplicate", "\(reply.body)")
    }
    var counts: [Int64] = []
    try PostgresConnection(stage.database.location).query(
      """
      SELECT (SELECT count(*) FROM chimed.event WHERE type = 'booked > carer'),
        (SELECT count(*) FROM chimed.submission), (SELECT count(*) FROM chimed.refused)
      """
    ) { row in counts = (0..<3).map { row.integer($0) } }
    #expect(counts == [60, 0, 0])
    try stage.stopAll()
  }

  /// A fault of the certificates ends the start with an error that names the file.
  @Test func `a node without its key does not join`() throws {
    let stage = try FleetProcesses([], isForwarding: true)
    let key = try stage.workspace("b").path + "/node.key"
    try #require(unlink(key) == 0)
    let failed = try FailedStart(stage.workspace("b"), stage.arguments("b"))
    #expect(failed.message.contains("node.key"), "\(failed.message)")
    var nodes = 0
    try PostgresConnection(stage.database.location).query("SELECT 1 FROM chimed.node") { _ in
      nodes += 1
    }
    #expect(nodes == 0)
  }
}
