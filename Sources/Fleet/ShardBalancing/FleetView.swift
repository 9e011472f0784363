package import CivilTime

/// A node's view of its fleet, from one snapshot.
package struct FleetView: Hashable, Sendable {
  package struct Node: Hashable, Sendable {
    package let incarnation: Incarnation
    /// The node's name, for operators.
    package let name: String
    /// The time of the last heartbeat, by the server's clock.
    package let heartbeat: Instant
    /// Whether the node claims no shards, because it drains or its clock is wrong.
    package let isDraining: Bool
    /// Whether the node was evicted or has resigned.
    package let isFenced: Bool
    /// Whether the node's session still holds the node's lock. If the node's process dies, the
    /// server releases the lock at once.
    package let isConnected: Bool
    /// The address for requests from other nodes; empty if there is none.
    package let address: String
    /// Whether an operator has requested that the node with this name drains.
    package let isDrainRequested: Bool

    package init(
      incarnation: Incarnation, name: String, heartbeat: Instant, isDraining: Bool, isFenced: Bool,
      isConnected: Bool, address: String = "", isDrainRequested: Bool = false
    ) {
      (self.incarnation, self.name, self.heartbeat) = (incarnation, name, heartbeat)
      (self.isDraining, self.isFenced, self.isConnected) = (isDraining, isFenced, isConnected)
      (self.address, self.isDrainRequested) = (address, isDrainRequested)
    }
  }

  package struct Shard: Hashable, Sendable {
    /// The shard with its current epoch.
    package let tenure: Tenure
    /// The owner; nil if there is none.
    package let owner: Incarnation?

    package init(tenure: Tenure, owner: Incarnation?) {
      (self.tenure, self.owner) = (tenure, owner)
    }
  }

  /// The time by the server's clock.
  package let now: Instant
  package let nodes: [Node]
  package let shards: [Shard]

  package init(now: Instant, nodes: [Node], shards: [Shard]) {
    (self.now, self.nodes, self.shards) = (now, nodes, shards)
  }
}

extension FleetView {
  /// The shards without an owner.
  var free: [Int] { shards.filter { $0.owner == nil }.map(\.tenure.shard) }

  /// Whether an operator drains a node and another node can take its shards. If there is no other
  /// node, a drained node continues to serve (rule F8).
  func isDrainRequested(_ node: Incarnation) -> Bool {
    nodes.contains { $0.incarnation == node && $0.isDrainRequested }
      && nodes.contains { !$0.isFenced && $0.isConnected && !$0.isDrainRequested && !$0.isDraining }
  }

  /// The node that owns a shard; nil if none does.
  package func owner(of shard: Int) -> Node? {
    // Shards are usually in order.
    let isInOrder = shards.indices.contains(shard) && shards[shard].tenure.shard == shard
    let entry = isInOrder ? shards[shard] : shards.first { $0.tenure.shard == shard }
    guard let owner = entry?.owner else { return nil }
    return nodes.first { $0.incarnation == owner }
  }

  func shards(of owner: Incarnation) -> Set<Tenure> {
    Set(shards.filter { $0.owner == owner }.map(\.tenure))
  }

  /// The nodes among which the shards are divided. A dead node counts until it is evicted:
  /// otherwise the first node that returns after an outage would claim everything.
  var sharers: [Incarnation] {
    nodes.filter { !$0.isFenced && !$0.isDraining }.map(\.incarnation)
  }
}
