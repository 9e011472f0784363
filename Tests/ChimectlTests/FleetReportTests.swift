import JSON
import Testing

@testable import chimectl

/// `chimectl fleet`: troubles first, then the table of nodes and shards.
@Suite struct FleetReportTests {
  private static func node(
    _ number: String, _ name: String, _ standing: String = "serving", age: Double? = 0.4,
    skew: Double = 0.01, shards: Int64 = 32, version: String = "0.1.0"
  ) -> JSONValue {
    [
      "node": .string(number), "name": .string(name), "address": "", "version": .string(version),
      "standing": .string(standing), "age": age.map { .number($0) } ?? .null,
      "skew": age.map { _ in .number(skew) } ?? .null, "lease": age.map { _ in 5.0 } ?? .null,
      "shards": .integer(shards),
    ]
  }

  private static func fleet(
    _ nodes: [JSONValue], free: JSONValue = [], _ members: JSONObject = [:]
  ) -> JSONValue {
    var fleet: JSONObject = [
      "node": "1a", "lease": 5.0, "skew": 0.01, "skewed": false, "trusted": true,
      "differingLeases": [], "skewedNodes": [], "sharedNames": [],
      "nodes": .array(nodes), "free": free, "takers": 2, "drained": ["south"], "differences": [],
      "shards": .array((0..<64).map { ["shard": .integer($0), "node": .null, "epoch": 0] }),
    ]
    for member in members { fleet[member.key] = member.value }
    return .object(fleet)
  }

  private func text(_ document: JSONValue) throws -> String {
    try FleetReport(FleetDocument(document)).text()
  }

  @Test func `a healthy fleet is printed as a table, without fenced nodes`() throws {
    let nodes = [
      Self.node("1a", "north"), Self.node("2b", "south", "draining", skew: -0.3),
      Self.node("3c", "west", "fenced", shards: 0),
    ]
    #expect(
      try text(Self.fleet(nodes)) == """
        NODE   NUMBER  STANDING  SHARDS    HEARTBEAT  CLOCK   LEASE  VERSION  ADDRESS
        north  1a *    serving   32 of 64  0.4 s ago  0.0 s   5.0 s  0.1.0    -
        south  2b      draining  32 of 64  0.4 s ago  -0.3 s  5.0 s  0.1.0    -

        """)
  }

  @Test func `troubles come first`() throws {
    let nodes = [
      Self.node("1a", "north"), Self.node("2b", "north", "silent", age: 7, version: "0.2.0"),
    ]
    let report = try text(
      Self.fleet(
        nodes, free: [3],
        [
          "skew": -0.3, "skewed": true, "trusted": false, "drained": [],
          "differingLeases": ["north", "west"], "skewedNodes": ["east"], "sharedNames": ["north"],
        ]))
    let summaries = report.split(separator: "\n").filter { $0.hasPrefix("! ") }
    #expect(
      summaries == [
        "! PostgreSQL has not answered in time", "! north (2b) is silent",
        "! 1 of 64 shards has no owner", "! the clock is 0.3 s behind PostgreSQL's",
        "! north, west: the lease differs", "! east: the clock is wrong by 2 s or more",
        "! north: several nodes have this name",
        "! the nodes have the versions 0.1.0 and 0.2.0",
      ])
    #expect(report.contains("its last heartbeat was 7.0 s ago\n    it owns 32 shards\n"))
    #expect(report.contains("\n\nNODE "))
  }

  @Test(arguments: [1, 0])
  func `F6: free shards are a fault if no node takes them`(takers: Int64) throws {
    let nodes = [Self.node("1a", "north"), Self.node("2b", "south", skew: 2.5)]
    let members: JSONObject = ["takers": .integer(takers), "drained": []]
    let document = try FleetDocument(Self.fleet(nodes, free: [3], members))
    let findings = document.findings.filter { $0.summary.contains("no owner") }
    #expect(findings.map(\.weight) == [takers > 0 ? .remark : .fault])
  }

  /// Rules T1, T5: nodes that differ plan differently.
  @Test func `differences between nodes are reported`() throws {
    let nodes = [Self.node("1a", "north"), Self.node("2b", "south")]
    let report = try text(
      Self.fleet(nodes, ["differences": ["zones", "catalogs"], "drained": []]))
    #expect(
      report.hasPrefix("! nodes differ in their tz databases (tzdata) and their catalogs\n"))
    #expect(report.contains("chimectl reload"))
  }

  /// Rule F8: an operator may have forgotten the drained node.
  @Test func `a drained node that is absent is reported`() throws {
    let report = try text(
      Self.fleet([Self.node("1a", "north"), Self.node("2b", "south")], ["drained": ["west"]]))
    #expect(report.hasPrefix("! west: drained and absent\n"))
    #expect(report.contains("chimectl fleet drain west --undo"))
  }

  @Test func `a single node has no heartbeat`() throws {
    let report = try text(
      Self.fleet([Self.node("1a", "north", age: nil, shards: 64)], ["drained": []]))
    #expect(report.contains("north  1a *    serving   64 of 64  -          -      -      0.1.0"))
  }
}
