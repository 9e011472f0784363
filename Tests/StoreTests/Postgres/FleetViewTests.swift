import CivilTime
import Fleet
import Postgres
import PostgresServer
import PostgresStore
import Store
import Testing

/// The operator's view of the fleet, and drains, on a real server.
@Suite(.enabled(if: PostgresServer.isAvailable, Comment(rawValue: PostgresServer.comment)))
struct FleetViewTests {
  private func fleet(_ store: PostgresStore) throws -> StoredFleet {
    try #require(try store.readers.read { try $0.fleet() })
  }

  @Test func `the plans of all nodes are listed`() throws {
    let stage = try FleetStage("a", "b")
    try stage.acquire([0, 1, 2], by: "a")
    try stage.acquire([3], by: "b")
    for name in ["a", "b"] {
      try stage[name].commit { try $0.save(plan: "2026f UTC f") }
    }
    #expect(try fleet(stage["a"]).plans == ["2026f UTC f"])
    try stage["b"].commit { try $0.save(plan: "2025b UTC f") }
    #expect(try fleet(stage["a"]).plans == ["2026f UTC f", "2025b UTC f"])
    #expect(try fleet(stage["a"]).shards[3].plan == "2025b UTC f")
  }

  @Test func `each node is listed with its shards`() throws {
    let stage = try FleetStage("a", "b")
    try stage.acquire([0, 1, 2], by: "a")
    try stage.acquire([3], by: "b")
    let fleet = try fleet(stage["b"])
    #expect(try fleet.ownIncarnation == stage["b"].incarnation)
    #expect(fleet.members.map(\.name) == ["a", "b"])
    #expect(fleet.members.allSatisfy { $0.isConnected && !$0.isDraining && $0.heartbeat != nil })
    #expect(try fleet.shardCount(of: stage["a"].incarnation) == 3)
    #expect(fleet.free == [4, 5, 6, 7])
    // No node has saved a plan yet.
    #expect(fleet.plans.isEmpty)
    #expect(fleet.members.allSatisfy { fleet.standing(of: $0, lease: .minutes(5)) == .serving })
  }

  @Test func `F6: every node sees the clock skew and the lease of each node`() throws {
    let stage = try FleetStage("a", "b")
    for name in ["a", "b"] {
      let nodes = try fleet(stage[name]).members
      #expect(nodes.map(\.lease) == [.minutes(1), .minutes(1)])
      #expect(nodes.map(\.skew) == [nil, nil])
    }
    #expect(try stage.sendHeartbeat(stage["b"].incarnation, skew: .milliseconds(-2_500)))
    for name in ["a", "b"] {
      #expect(try fleet(stage[name]).members.map(\.skew) == [nil, .milliseconds(-2_500)])
    }
  }

  @Test func `a node whose process is gone is disconnected, and then fenced`() throws {
    let stage = try FleetStage("a", "b")
    let lostIncarnation = try stage["b"].incarnation
    try stage.drop("b")
    let lostNode = try fleet(stage["a"]).nodes.first { $0.incarnation == lostIncarnation }
    #expect(lostNode?.isConnected == false && lostNode?.isFenced == false)
    #expect(try stage.evict(lostIncarnation))
    #expect(try fleet(stage["a"]).members.map(\.name) == ["a"])
  }

  @Test func `a store of one process lists it as the only node, without heartbeats`() throws {
    let database = try TemporaryPostgresDatabase()
    let store = try PostgresStore.making(in: database)
    let fleet = try fleet(store)
    #expect(fleet.members.map(\.incarnation) == [store.incarnation])
    #expect(fleet.members.first?.skew == nil && fleet.members.first?.lease == nil)
    #expect(fleet.members.first?.heartbeat == nil && fleet.members.first?.isConnected == true)
    #expect(fleet.free.isEmpty && fleet.shardCount(of: store.incarnation) == 8)
    guard case .last = try store.commit({ try $0.drain("test", true) }) else { throw Unexpected() }
  }

  @Test func `F8: a drain is stored for the drained node until it is reverted`() throws {
    let stage = try FleetStage("a", "b")
    let drainedIncarnation = try stage["b"].incarnation
    let decision = try stage["a"].commit { try $0.drain("b", true) }
    guard case .write("b", let node?) = decision else { throw Unexpected() }
    #expect(node.incarnation == drainedIncarnation && node.isDraining)
    let isDrainRequested = {
      try stage.view.nodes.first { $0.incarnation.number == drainedIncarnation }?.isDrainRequested
    }
    #expect(try isDrainRequested() == true)
    // A heartbeat without draining does not revert the drain.
    #expect(try stage.sendHeartbeat(drainedIncarnation))
    #expect(try isDrainRequested() == true)
    #expect(try fleet(stage["a"]).nodes.count { $0.isDraining } == 1)
    guard case .last = try stage["b"].commit({ try $0.drain("a", true) }) else {
      throw Unexpected()
    }
    _ = try stage["a"].commit { try $0.drain("b", false) }
    #expect(try isDrainRequested() == false)
    #expect(try stage["a"].commit { try $0.drain("c", true) } == .unknown)
  }

  /// A drained node counts as draining from its first heartbeat.
  @Test func `F8: a drain applies to the node's next start too`() throws {
    let stage = try FleetStage("a", "b")
    _ = try stage["a"].commit { try $0.drain("b", true) }
    try stage.dropAndEvict("b")
    #expect(try fleet(stage["a"]).drained == ["b"])
    try stage.join("b")
    let newIncarnation = try stage["b"].incarnation
    let newNode = try stage.view.nodes.first { $0.incarnation.number == newIncarnation }
    #expect(newNode?.isDrainRequested == true && newNode?.isDraining == true)
    try stage.dropAndEvict("b")
    let decision = try stage["a"].commit { try $0.drain("b", false) }
    #expect(decision == .write("b", nil))
    #expect(try fleet(stage["a"]).drained == [])
    #expect(try stage["a"].commit { try $0.drain("b", false) } == .unknown)
  }
}
