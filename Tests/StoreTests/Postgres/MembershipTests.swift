import CivilTime
import Fleet
import Postgres
import PostgresServer
import PostgresStore
import Testing

/// The statements of a node's membership, on a real server.
@Suite(.enabled(if: PostgresServer.isAvailable, Comment(rawValue: PostgresServer.comment)))
struct MembershipTests {
  private static let times = FleetTimes(lease: .seconds(5))
  private static let (north, south) = (Incarnation(71), Incarnation(72))

  private let database: TemporaryPostgresDatabase
  private let other: PostgresConnection

  init() throws {
    database = try TemporaryPostgresDatabase()
    try PostgresDatabase(database.location).create(shards: 8, partitions: 2)
    other = try PostgresConnection(database.location, settings: ["search_path": "chimed"])
  }

  private func member(_ node: Incarnation) throws -> Membership {
    let membership = try Membership(
      PostgresDatabase(database.location), as: node, Self.times)
    let join = FleetStatement.join(node, name: "\(node)", address: "10.0.0.5:7443")
    guard case .joined = try ask(membership, join) else {
      throw Unexpected()
    }
    return membership
  }

  private func ask(_ membership: Membership, _ statement: FleetStatement) throws -> FleetAnswer {
    switch membership.carryOut(statement) {
    case .answered(let answer): return answer
    case .refused(let reason), .lost(let reason), .silent(let reason), .pooled(let reason):
      Issue.record("\(statement): \(reason)")
      throw Unexpected()
    }
  }

  private struct Unexpected: Error {}

  private func view(_ membership: Membership) throws -> FleetView {
    guard case .view(let view) = try ask(membership, .look) else { throw Unexpected() }
    return view
  }

  private func claim(_ membership: Membership, _ shards: [Int], limit: Int) throws -> [Tenure] {
    let answer = try ask(membership, .claim(membership.incarnation, shards, limit: limit))
    guard case .claimed(let tenures) = answer else { throw Unexpected() }
    return tenures
  }

  private func evict(
    _ node: Incarnation, _ reason: EvictionReason, by membership: Membership
  ) throws -> Bool {
    try ask(membership, .evict(node, reason, lease: Self.times.lease)) == .evicted(true)
  }

  /// Returns the session of a node's engine that hangs in the middle of a unit of work.
  private func stoppedEngine(of node: Incarnation) throws -> PostgresConnection {
    let engine = try PostgresConnection(database.location, settings: ["search_path": "chimed"])
    try Membership.mark(engine, as: node)
    try engine.send("BEGIN")
    try engine.send("SELECT fence($1)", [.integer(node.number)])
    try engine.wait()
    return engine
  }

  /// Makes a node's heartbeat six seconds older, which is more than the lease.
  private func outdateHeartbeat(of node: Incarnation) throws {
    try other.query(
      "UPDATE heartbeat SET at = at - 6000 WHERE incarnation = $1", [.integer(node.number)]
    ) { _ in }
  }

  // MARK: - Joining

  @Test func `a node that has joined is listed as connected`() throws {
    let north = try member(Self.north)
    let south = try member(Self.south)
    for membership in [north, south] {
      let view = try view(membership)
      #expect(view.nodes.map(\.incarnation) == [Self.north, Self.south])
      #expect(view.nodes.allSatisfy { $0.isConnected && !$0.isFenced && !$0.isDraining })
      #expect(view.nodes.allSatisfy { view.now - $0.heartbeat < Self.times.lease })
      #expect(view.shards.map(\.tenure.shard) == Array(0..<8))
      #expect(view.shards.allSatisfy { $0.owner == nil })
    }
  }

  @Test func `a node whose process has died is listed as disconnected`() throws {
    let north = try member(Self.north)
    var south: Membership? = try member(Self.south)
    #expect(try view(north).nodes.last?.isConnected == true)
    #expect(try !evict(Self.south, .gone, by: north))
    #expect(south != nil)
    south = nil
    // The server notices by itself that the process has died.
    var isConnected = true
    while isConnected { isConnected = try view(north).nodes.last?.isConnected ?? false }
    #expect(try evict(Self.south, .gone, by: north))
    #expect(try view(north).nodes.last?.isFenced == true)
  }

  @Test func `an open transaction does not block its node's heartbeat`() throws {
    let north = try member(Self.north)
    let engine = try stoppedEngine(of: Self.north)
    let before = try view(north).nodes.first?.heartbeat
    let answer = try ask(north, .heartbeat(Self.north, isDraining: true, skew: nil))
    guard case .heartbeat(true, let at) = answer else { throw Unexpected() }
    #expect(at >= before ?? at)
    let seen = try view(north).nodes.first
    #expect(seen?.isDraining == true && seen?.heartbeat == at)
    #expect(engine.isUsable)
  }

  @Test func `the skew of a wrong clock is measured`() throws {
    let north = try member(Self.north)
    guard
      case .heartbeat(_, let clock) = try ask(
        north, .heartbeat(Self.north, isDraining: false, skew: nil))
    else { throw Unexpected() }
    var node = FleetNode(name: "north", Self.times)
    _ = node.connected(as: Self.north)
    let moment = Moment(sinceBoot: .seconds(1), wall: clock + .minutes(1))
    _ = node.answered(.joined(database: clock), from: moment, to: moment)
    #expect(node.skew.lead == .minutes(1))
    #expect(node.skew.degree == .severe)
  }

  /// A connection pooler that was added later makes another session answer.
  @Test func `an answer from another session ends the membership`() throws {
    let north = try member(Self.north)
    try other.run(
      script: """
        CREATE OR REPLACE FUNCTION pg_catalog.pg_backend_pid() RETURNS integer
        LANGUAGE sql AS 'SELECT 1'
        """)
    guard
      case .pooled(let reason) = north.carryOut(
        .heartbeat(Self.north, isDraining: false, skew: nil))
    else { throw Unexpected() }
    #expect(reason.contains("a pooler"), "\(reason)")
  }

  // MARK: - Eviction

  @Test func `a node with a fresh heartbeat is not evicted`() throws {
    let north = try member(Self.north)
    let south = try member(Self.south)
    #expect(try !evict(Self.south, .silent, by: north))
    guard
      case .heartbeat(true, _) = try ask(
        south, .heartbeat(Self.south, isDraining: false, skew: nil))
    else { throw Unexpected() }
  }

  @Test func `a node that hangs in a transaction is terminated and fenced`() throws {
    let north = try member(Self.north)
    let south = try member(Self.south)
    #expect(try claim(south, [0, 1, 2], limit: 2).count == 2)
    let engine = try stoppedEngine(of: Self.south)
    try outdateHeartbeat(of: Self.south)
    #expect(try evict(Self.south, .silent, by: north))
    let view = try view(north)
    #expect(view.nodes.last?.isFenced == true)
    #expect(view.shards.map(\.owner) == Array(repeating: nil, count: 8))
    #expect(view.shards.map(\.tenure.epoch) == [1, 1, 0, 0, 0, 0, 0, 0])
    // Both sessions of the node have ended, and no others.
    #expect(throws: PostgresError.self) { try engine.query("SELECT 1") { _ in } }
    guard case .lost = south.carryOut(.look) else { throw Unexpected() }
    #expect(try claim(north, [0, 1, 2], limit: 8).map(\.epoch).sorted() == [0, 1, 1])
  }

  @Test func `a fenced node is no member at its next heartbeat and claims nothing`() throws {
    let north = try member(Self.north)
    #expect(try ask(north, .resign(Self.north)) == .resigned)
    guard
      case .heartbeat(false, _) = try ask(
        north, .heartbeat(Self.north, isDraining: false, skew: nil))
    else { throw Unexpected() }
    #expect(try claim(north, [0], limit: 1) == [])
  }

  // MARK: - Claiming and releasing

  @Test func `shards are claimed in order and never twice`() throws {
    let north = try member(Self.north)
    let south = try member(Self.south)
    #expect(try Set(claim(north, [5, 3, 1], limit: 2).map(\.shard)) == [5, 3])
    #expect(try Set(claim(south, [3, 5, 1, 0], limit: 9).map(\.shard)) == [1, 0])
  }

  @Test func `a shard that another node is claiming is skipped`() throws {
    let north = try member(Self.north)
    try other.send("BEGIN")
    try other.send("SELECT 1 FROM shard WHERE shard = 0 FOR UPDATE")
    try other.wait()
    #expect(try claim(north, [0, 1], limit: 2).map(\.shard) == [1])
  }

  @Test func `a release waits for the open unit of work`() throws {
    let north = try member(Self.north)
    let tenure = try #require(try claim(north, [4], limit: 1).first)
    let engine = try stoppedEngine(of: Self.north)
    guard case .refused = north.carryOut(.release(Self.north, tenure)) else { throw Unexpected() }
    try engine.rollBack()
    #expect(try ask(north, .release(Self.north, tenure)) == .released(true))
    // The shard has no owner now, and another epoch.
    #expect(try ask(north, .release(Self.north, tenure)) == .released(false))
    #expect(try claim(north, [4], limit: 1) == [Tenure(shard: 4, epoch: 1)])
  }
}
