package import CivilTime

/// The nodes and shards of a store in a snapshot that one of the nodes has taken.
package struct StoredFleet: Hashable, Sendable {
  package struct Node: Hashable, Sendable {
    /// The random number that identifies this run of the node's process.
    package let incarnation: Int64
    /// The name of the node for operators.
    package var name: String
    /// The address of the node for other nodes; empty if they cannot reach it.
    package var address: String
    package var version: String
    /// The last heartbeat by the server's clock; nil for a node that works alone and writes no
    /// heartbeats.
    package var heartbeat: Instant?
    /// Whether an operator has requested that the node drain.
    package var isDraining: Bool
    /// Whether the node is fenced, so that its writes are rejected.
    package var isFenced: Bool
    /// Whether the node's database session exists. A process that crashes loses its session at
    /// once.
    package var isConnected: Bool
    /// The span by which the node's clock is ahead of the server's; nil until the node has reported
    /// it.
    package var skew: TimeSpan?
    /// The node's configured lease; nil for a node that works alone.
    package var lease: TimeSpan?

    package init(
      incarnation: Int64, name: String, address: String = "", version: String,
      heartbeat: Instant?, isDraining: Bool = false, isFenced: Bool = false,
      isConnected: Bool = true, skew: TimeSpan? = nil, lease: TimeSpan? = nil
    ) {
      (self.incarnation, self.name, self.address) = (incarnation, name, address)
      (self.version, self.heartbeat, self.isDraining) = (version, heartbeat, isDraining)
      (self.isFenced, self.isConnected) = (isFenced, isConnected)
      (self.skew, self.lease) = (skew, lease)
    }

    /// The incarnation in hexadecimal, the form for people.
    package var identifier: String { String(incarnation, radix: 16) }
  }

  package struct Shard: Hashable, Sendable {
    /// The number of the shard, from 0.
    package let shard: Int
    /// The epoch, which increases each time an owner loses the shard.
    package let epoch: Int64
    /// The incarnation of the owner; nil if the shard has none.
    package let owner: Int64?
    /// The fingerprint of the catalogs, zones and settings with which the shard's recipients are
    /// planned (`StoreWriter.save(plan:)`); empty while they are being replanned.
    package let plan: String

    package init(shard: Int, epoch: Int64, owner: Int64?, plan: String = "") {
      (self.shard, self.epoch, self.owner, self.plan) = (shard, epoch, owner, plan)
    }
  }

  /// The server's time.
  package let now: Instant
  /// The incarnation of the node that took the snapshot.
  package let ownIncarnation: Int64
  package let nodes: [Node]
  package let shards: [Shard]
  /// The names of nodes that are to drain, including nodes that do not run.
  package let drained: [String]

  package init(
    now: Instant, ownIncarnation: Int64, nodes: [Node], shards: [Shard], drained: [String] = []
  ) {
    (self.now, self.ownIncarnation) = (now, ownIncarnation)
    (self.nodes, self.shards) = (nodes, shards)
    self.drained = drained
  }
}

extension StoredFleet {
  /// The nodes that are not fenced, whether or not their processes run.
  package var members: [Node] { nodes.filter { !$0.isFenced } }

  /// The shards without an owner, whose occurrences wait.
  package var free: [Int] { shards.filter { $0.owner == nil }.map(\.shard) }

  /// The different fingerprints with which the nodes plan.
  package var plans: Set<String> {
    Set(shards.lazy.filter { $0.owner != nil && !$0.plan.isEmpty }.map(\.plan))
  }

  /// The members whose sessions exist.
  private var present: [Node] { members.filter(\.isConnected) }

  /// The names of the present nodes whose lease is not the most common one. If no single lease is
  /// the most common one, these are all present nodes with a lease.
  package var differingLeases: [String] {
    let counts = Dictionary(grouping: present.compactMap(\.lease)) { $0 }.mapValues(\.count)
    let common = counts.filter { $0.value == counts.values.max() }.map(\.key)
    return names { node in node.lease.map { common != [$0] } ?? false }
  }

  /// The names of the other present nodes whose clock is so wrong that they claim no shards (rule
  /// F6).
  package var skewedNodes: [String] {
    names { $0.incarnation != ownIncarnation && Self.isSevere($0.skew) }
  }

  /// The names that several present nodes have. A drain by such a name applies to all these nodes.
  package var sharedNames: [String] {
    names { node in present.count { $0.name == node.name } > 1 }
  }

  /// The smallest skew at which a node claims no shards and gives away the shards that it owns
  /// (rule F6).
  package static let severeSkew = TimeSpan.seconds(2)

  /// Returns whether a node with this skew claims no shards; false if the skew is unknown.
  package static func isSevere(_ skew: TimeSpan?) -> Bool {
    skew.map { max($0, -$0) >= severeSkew } ?? false
  }

  private func names(where isListed: (Node) -> Bool) -> [String] {
    Set(present.filter(isListed).map(\.name)).sorted()
  }

  /// Returns the number of shards that a node owns.
  package func shardCount(of node: Int64) -> Int { shards.count { $0.owner == node } }
}

/// The state of a node as other nodes see it.
package enum NodeStanding: String, CaseIterable, Sendable {
  /// The node works on its shards.
  case serving
  /// The node is giving its shards away.
  case draining
  /// The node has sent no heartbeat for a lease, but its session exists.
  case silent
  /// The node's session has ended.
  case gone
  /// The node was evicted, or has left the fleet.
  case fenced
}

extension StoredFleet {
  /// Returns the state of a node at the time of the snapshot.
  ///
  /// - Parameter lease: how long a node may be silent before other nodes evict it.
  package func standing(of node: Node, lease: TimeSpan) -> NodeStanding {
    if node.isFenced { return .fenced }
    if !node.isConnected { return .gone }
    if let heartbeat = node.heartbeat, now - heartbeat >= lease { return .silent }
    return node.isDraining ? .draining : .serving
  }
}
