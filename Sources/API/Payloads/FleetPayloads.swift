package import CivilTime
package import Engine
import JSON
package import Store

package struct FleetPayload: Payload {
  package typealias Value = FleetOverview
  package static let shape = PayloadShape(Self(), as: .fleet)

  package let now = Member("now", .instant, "The time by PostgreSQL's clock") { $0.stored.now }
  package let node = Member("node", .text, "The answering node") {
    String($0.stored.ownIncarnation, radix: 16)
  }
  package let lease = Member(
    "lease", .seconds, "The seconds of silence after which others take over"
  ) {
    $0.status.lease.seconds
  }
  package let trust = Members(TrustPayload.self) { $0 }
  package let troubles = Members(NodeTroublesPayload.self) { $0.stored }
  package let nodes = Member("nodes", .list(.payload(NodePayload.self))) { fleet in
    fleet.stored.nodes.map { NodePayload.Value(node: $0, fleet: fleet) }
  }
  package let shards = Member("shards", .list(.payload(ShardPayload.self))) { $0.stored.shards }
  package let free = Member("free", .list(.count), "Shards without an owner") {
    $0.stored.free.map { Int($0) }
  }
  package let takers = Member("takers", .count, Self.takersNote) { $0.takers }
  package let differences = Member(
    "differences", .list(.word(Self.settingNames)), Self.differencesNote
  ) { $0.differences.map(\.rawValue) }
  package let drained = Member(
    "drained", .list(.text),
    "The names of the draining nodes, also of those that are down"
  ) { $0.stored.drained }
}

extension Payload where Value == FleetOverview {
  fileprivate static var settingNames: [String] { PlanFingerprint.Part.allCases.map(\.rawValue) }
  fileprivate static var takersNote: String {
    "Serving nodes whose clocks are wrong by less than 2 s: they take shards without an owner"
  }
  fileprivate static var differencesNote: String {
    "Planning settings that differ between nodes; a recipient gets those of its current node"
  }
}

/// Whether the answering node may act, and the skew of its clock.
package struct TrustPayload: Payload {
  package typealias Value = FleetOverview
  package static let shape = PayloadShape(Self())

  package let skew = Member(
    "skew", orNull: .number, "How many seconds the node's clock is ahead of PostgreSQL's"
  ) { $0.status.skew?.seconds }
  package let skewed = Member("skewed", .boolean, "Whether the skew is too large") {
    $0.isSkewed
  }
  package let trusted = Member(
    "trusted", .boolean, "Whether the node may act; false while PostgreSQL is unreachable"
  ) { $0.status.isTrusted }
}

/// The nodes that need attention, by name.
package struct NodeTroublesPayload: Payload {
  package typealias Value = StoredFleet
  package static let shape = PayloadShape(Self())

  package let differingLeases = Member(
    "differingLeases", .list(.text),
    "Nodes whose lease is not the most common one; all nodes if no lease is most common"
  ) { $0.differingLeases }
  package let skewedNodes = Member(
    "skewedNodes", .list(.text), "Other nodes whose clocks are wrong by 2 s or more"
  ) { $0.skewedNodes }
  package let sharedNames = Member(
    "sharedNames", .list(.text), "Names that several running nodes have"
  ) { $0.sharedNames }
}

package struct NodePayload: Payload {
  package struct Value {
    let node: StoredFleet.Node
    let fleet: FleetOverview
  }

  package static let shape = PayloadShape(Self())

  package let node = Member("node", .text, "The node's random number, new at each start") {
    $0.node.identifier
  }
  package let name = Member("name", .text) { $0.node.name }
  package let address = Member("address", .text, "The address for other nodes; may be empty") {
    $0.node.address
  }
  package let version = Member("version", .text) { $0.node.version }
  package let standing = Member(
    "standing", .word(NodeStanding.allCases.map(\.rawValue))
  ) { $0.fleet.standing(of: $0.node).rawValue }
  package let heartbeat = Member("heartbeat", orNull: .instant) { $0.node.heartbeat }
  package let age = Member("age", orNull: .seconds, "Age of the heartbeat, by PostgreSQL's clock") {
    $0.fleet.age(of: $0.node)?.seconds
  }
  package let skew = Member(
    "skew", orNull: .number,
    "How many seconds the node's clock was ahead of PostgreSQL's at the heartbeat"
  ) { $0.node.skew?.seconds }
  package let lease = Member("lease", orNull: .seconds, "The node's configured lease") {
    $0.node.lease?.seconds
  }
  package let connected = Member("connected", .boolean, "Whether the node's session is connected") {
    $0.node.isConnected
  }
  package let draining = Member("draining", .boolean) { $0.node.isDraining }
  package let fenced = Member("fenced", .boolean, "Whether the node was evicted") {
    $0.node.isFenced
  }
  package let shards = Member("shards", .count, "How many shards the node owns") {
    $0.fleet.stored.shardCount(of: $0.node.incarnation)
  }
}

package struct ShardPayload: Payload {
  package typealias Value = StoredFleet.Shard
  package static let shape = PayloadShape(Self())

  package let shard = Member("shard", .count) { Int($0.shard) }
  package let node = Member("node", orNull: .text, "The shard's owner") { shard in
    shard.owner.map { String($0, radix: 16) }
  }
  package let epoch = Member("epoch", .count, "How often the shard has lost its owner") {
    Int($0.epoch)
  }
}

/// The fleet in the service's status.
package struct FleetSummaryPayload: Payload {
  package typealias Value = FleetOverview
  package static let shape = PayloadShape(Self())

  package let node = Member("node", .text, "The answering node") {
    String($0.stored.ownIncarnation, radix: 16)
  }
  package let nodes = Member("nodes", .count, "Members of the fleet") { $0.stored.members.count }
  package let silent = Member("silent", .count) { $0.count(.silent) }
  package let gone = Member("gone", .count) { $0.count(.gone) }
  package let draining = Member("draining", .count) { $0.count(.draining) }
  package let shards = Member("shards", .count) { $0.stored.shards.count }
  package let own = Member("own", .count, "Shards of the answering node") {
    $0.stored.shardCount(of: $0.stored.ownIncarnation)
  }
  package let free = Member("free", .count, "Shards without an owner") { $0.stored.free.count }
  package let takers = Member("takers", .count, Self.takersNote) { $0.takers }
  package let differences = Member(
    "differences", .list(.word(Self.settingNames)), Self.differencesNote
  ) { $0.differences.map(\.rawValue) }
  package let trust = Members(TrustPayload.self) { $0 }
  package let troubles = Members(NodeTroublesPayload.self) { $0.stored }
}

/// A node whose draining has begun or ended.
package struct DrainingPayload: Payload {
  package typealias Value = (name: String, node: StoredFleet.Node?, isDraining: Bool)
  package static let shape = PayloadShape(Self())

  package let node = Member(
    "node", orNull: .text, "The node's random number, new at each start; null if the node is down"
  ) {
    $0.node?.identifier
  }
  package let name = Member("name", .text) { $0.name }
  package let draining = Member("draining", .boolean) { $0.isDraining }
}

extension TimeSpan {
  var seconds: Double { Double(milliseconds) / 1_000 }
}
