package import CivilTime

/// The nodes that work on a store and the shards that it is divided into, as one snapshot shows
/// them to one of these nodes.
package struct StoredFleet: Hashable, Sendable {
  package struct Node: Hashable, Sendable {
    package let incarnation: Int64
    /// For people.
    package var name: String
    /// Where the others reach it; nothing if they do not.
    package var address: String
    package var version: String
    /// By the server's clock; nil for one that works alone and writes none.
    package var heartbeat: Instant?
    /// Whether it gives everything away, or is to.
    package var isDraining: Bool
    /// Whether it is over with it: nothing of it is written any more.
    package var isFenced: Bool
    /// Whether its session is there. A process that dies loses it at once.
    package var isConnected: Bool

    package init(
      incarnation: Int64, name: String, address: String = "", version: String,
      heartbeat: Instant?, isDraining: Bool = false, isFenced: Bool = false,
      isConnected: Bool = true
    ) {
      (self.incarnation, self.name, self.address) = (incarnation, name, address)
      (self.version, self.heartbeat, self.isDraining) = (version, heartbeat, isDraining)
      (self.isFenced, self.isConnected) = (isFenced, isConnected)
    }

    /// The number of its start, as people read and write it.
    package var identifier: String { String(incarnation, radix: 16) }
  }

  package struct Shard: Hashable, Sendable {
    package let shard: Int
    /// Grows whenever an owner loses it.
    package let epoch: Int64
    /// The incarnation of a node; nil if it is nobody's.
    package let owner: Int64?
    /// What its people are planned with, as `StoreWriter.save(plan:)` was told; empty while they
    /// are planned anew.
    package let plan: String

    package init(shard: Int, epoch: Int64, owner: Int64?, plan: String = "") {
      (self.shard, self.epoch, self.owner, self.plan) = (shard, epoch, owner, plan)
    }
  }

  /// By the server's clock.
  package let now: Instant
  /// The node that looks.
  package let own: Int64
  package let nodes: [Node]
  package let shards: [Shard]
  /// The names of those who are to give everything away, be they there or not.
  package let drained: [String]

  package init(
    now: Instant, own: Int64, nodes: [Node], shards: [Shard], drained: [String] = []
  ) {
    (self.now, self.own, self.nodes, self.shards) = (now, own, nodes, shards)
    self.drained = drained
  }
}

extension StoredFleet {
  /// Those that are in it still, whatever has become of their processes.
  package var members: [Node] { nodes.filter { !$0.isFenced } }

  /// The shards that nobody owns: what is due of them waits.
  package var free: [Int] { shards.filter { $0.owner == nil }.map(\.shard) }

  /// The different things with which its nodes plan.
  package var plans: Set<String> {
    Set(shards.lazy.filter { $0.owner != nil && !$0.plan.isEmpty }.map(\.plan))
  }

  /// How many shards a node owns.
  package func count(of node: Int64) -> Int { shards.count { $0.owner == node } }
}

/// How a node is seen by the others.
package enum NodeStanding: String, CaseIterable, Sendable {
  case serving
  /// It gives everything away.
  case draining
  /// It has said nothing for a lease, though its session is there.
  case silent
  /// Its session has ended.
  case gone
  /// It has been taken out of the fleet, or has left it.
  case fenced
}

extension StoredFleet {
  /// - Parameter lease: after how long a silence others take over.
  package func standing(of node: Node, lease: TimeSpan) -> NodeStanding {
    if node.isFenced { return .fenced }
    if !node.isConnected { return .gone }
    if let heartbeat = node.heartbeat, now - heartbeat >= lease { return .silent }
    return node.isDraining ? .draining : .serving
  }
}
