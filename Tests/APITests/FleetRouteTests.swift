import API
import CivilTime
import Engine
import JSON
import Store
import Testing

/// The fleet as operators see it (rules F1, F6, F8).
@Suite struct FleetRouteTests {
  private func serving(_ body: (TestServer) async throws -> Void) async throws {
    let service = try FakeService()
    service.set { $0.fleet = Fixtures.fleet }
    try await TestServer.serving(service, body)
  }

  @Test func `each node is shown as the other nodes see it`() async throws {
    try await serving { server in
      let fleet = try await server.get("/v1/fleet").json
      let nodes = fleet["nodes"]?.arrayValue ?? []
      #expect(
        nodes.map { $0["standing"]?.stringValue } == ["serving", "draining", "silent", "fenced"])
      #expect(
        nodes.first == [
          "node": "1a", "name": "north", "address": "10.0.0.5:7443", "version": "0.1.0",
          "standing": "serving", "heartbeat": "2026-03-02T01:59:59.600Z", "age": 0.4,
          "skew": -0.3, "lease": 5.0, "connected": true, "draining": false, "fenced": false,
          "shards": 2,
        ])
      #expect(fleet["shards"]?[2] == ["shard": 2, "node": "2b", "epoch": 3])
      #expect(fleet["shards"]?[3] == ["shard": 3, "node": nil, "epoch": 3])
      #expect(fleet["free"] == [3] && fleet["drained"] == ["east", "south"])
      #expect(fleet["differences"] == ["zones"])
      #expect(fleet["node"] == "1a" && fleet["skew"] == -0.3 && fleet["skewed"] == true)
    }
  }

  @Test func `F6: each node's clock and lease are shown`() async throws {
    try await serving { server in
      let fleet = try await server.get("/v1/fleet").json
      let nodes = fleet["nodes"]?.arrayValue ?? []
      #expect(nodes.map { $0["skew"] } == [-0.3, 2.5, .null, .null])
      #expect(nodes.map { $0["lease"] } == [5.0, 5.0, 8.0, .null])
      #expect(fleet["differingLeases"] == ["west"] && fleet["skewedNodes"] == ["south"])
      #expect(fleet["sharedNames"] == [])
    }
  }

  @Test(arguments: [(1_999, 2), (2_000, 1), (-2_000, 1)])
  func `F6: a node whose clock is 2 s off takes no free shards`(
    skew: Int, takers: Int
  ) async throws {
    var fleet = Fixtures.fleet
    let nodes = fleet.stored.nodes
    // The node "west", which was silent, serves again.
    var west = nodes[2]
    (west.heartbeat, west.skew) = (Fixtures.now, .milliseconds(skew))
    fleet.stored = StoredFleet(
      now: Fixtures.now, ownIncarnation: 0x1a, nodes: [nodes[0], nodes[1], west, nodes[3]],
      shards: [])
    #expect(fleet.takers == takers)
    // The answering node's own measurement is newer than the store's.
    fleet.status.skew = .milliseconds(skew)
    #expect(fleet.takers == (takers - 1) * 2)
    let service = try FakeService()
    service.set { $0.fleet = fleet }
    try await TestServer.serving(service) { server in
      let answer = try await server.get("/v1/fleet").json
      #expect(answer["takers"] == .integer(Int64(fleet.takers)))
    }
  }

  @Test func `the status counts the nodes and shards of the fleet`() async throws {
    try await serving { server in
      let status = try await server.get("/v1/status").json
      #expect(
        status["fleet"] == [
          "node": "1a", "nodes": 3, "silent": 1, "gone": 0, "draining": 1, "shards": 4, "own": 2,
          "free": 1, "takers": 1, "differences": ["zones"], "skew": -0.3, "skewed": true,
          "trusted": true,
          "differingLeases": ["west"], "skewedNodes": ["south"], "sharedNames": [],
        ])
    }
  }

  @Test(arguments: ["GET /v1/fleet", "POST /v1/fleet/nodes/north/drain"])
  func `a service without a fleet answers 404`(request: String) async throws {
    try await TestServer.serving(FakeService()) { server in
      let parts = request.split(separator: " ").map(String.init)
      let reply = try await server.call(parts[0], parts[1])
      #expect(reply.status == 404)
      #expect(try reply.json["type"] == "urn:chimed:problem:no-fleet")
    }
  }

  @Test func `F8: a node is drained and undrained by name or number`() async throws {
    try await serving { server in
      let reply = try await server.call("POST", "/v1/fleet/nodes/north/drain")
      #expect(try reply.json == ["node": "1a", "name": "north", "draining": true])
      let undrained = try await server.call("POST", "/v1/fleet/nodes/2b/undrain")
      #expect(try undrained.json == ["node": "2b", "name": "south", "draining": false])
      let absent = try await server.call("POST", "/v1/fleet/nodes/east/undrain")
      #expect(try absent.json == ["node": nil, "name": "east", "draining": false])
    }
  }

  @Test func `F8: an unknown or last node cannot be drained`() async throws {
    let service = try FakeService()
    service.set { $0.fleet = Fixtures.fleet }
    try await TestServer.serving(service) { server in
      let unknown = try await server.call("POST", "/v1/fleet/nodes/4d/drain")
      #expect(unknown.status == 404)
      #expect(
        try unknown.json["detail"]
          == "there is no node \"4d\" in the fleet; GET /v1/fleet lists them")
      service.set { state in
        guard let stored = state.fleet?.stored else { return }
        let remaining = Array(stored.nodes.prefix(2))
        state.fleet?.stored = StoredFleet(
          now: stored.now, ownIncarnation: stored.ownIncarnation, nodes: remaining,
          shards: stored.shards)
      }
      let last = try await server.call("POST", "/v1/fleet/nodes/north/drain")
      #expect(last.status == 409)
      let detail = try last.json["detail"]?.stringValue ?? ""
      #expect(detail.hasPrefix("no other node can take the shards of north: start"))
    }
  }
}
