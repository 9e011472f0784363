package import CivilTime

/// What a node has seen of its fleet, in one snapshot.
package struct FleetView: Hashable, Sendable {
  package struct Node: Hashable, Sendable {
    package let incarnation: Incarnation
    /// For people.
    package let name: String
    /// By the server's clock.
    package let heartbeat: Instant
    /// Whether it takes no more: it is giving everything away, or its clock is wrong.
    package let isDraining: Bool
    package let isFenced: Bool
    /// Whether the session by which it joined holds its lock. A process that dies loses it at once.
    package let isConnected: Bool
    /// Where other nodes reach it; empty if they do not.
    package let address: String
    /// Whether an operator wants who has its name to give everything away.
    package let isToDrain: Bool

    package init(
      incarnation: Incarnation, name: String, heartbeat: Instant, isDraining: Bool, isFenced: Bool,
      isConnected: Bool, address: String = "", isToDrain: Bool = false
    ) {
      (self.incarnation, self.name, self.heartbeat) = (incarnation, name, heartbeat)
      (self.isDraining, self.isFenced, self.isConnected) = (isDraining, isFenced, isConnected)
      (self.address, self.isToDrain) = (address, isToDrain)
    }
  }

  package struct Shard: Hashable, Sendable {
    package let tenure: Tenure
    package let owner: Incarnation?

    package init(tenure: Tenure, owner: Incarnation?) {
      (self.tenure, self.owner) = (tenure, owner)
    }
  }

  /// By the server's clock.
  package let now: Instant
  package let nodes: [Node]
  package let shards: [Shard]

  package init(now: Instant, nodes: [Node], shards: [Shard]) {
    (self.now, self.nodes, self.shards) = (now, nodes, shards)
  }
}

extension FleetView {
  var free: [Int] { shards.filter { $0.owner == nil }.map(\.tenure.shard) }

  /// Whether an operator wants a node to give everything away, and somebody is there who may have
  /// it: those who are drained and alone would leave people without their reminders (rule F8).
  func isToDrain(_ node: Incarnation) -> Bool {
    nodes.contains { $0.incarnation == node && $0.isToDrain }
      && nodes.contains { !$0.isFenced && $0.isConnected && !$0.isToDrain && !$0.isDraining }
  }

  /// The node that has a shard; nil if it is nobody's.
  package func owner(of shard: Int) -> Node? {
    // They come in order.
    let isInOrder = shards.indices.contains(shard) && shards[shard].tenure.shard == shard
    let found = isInOrder ? shards[shard] : shards.first { $0.tenure.shard == shard }
    guard let owner = found?.owner else { return nil }
    return nodes.first { $0.incarnation == owner }
  }

  func shards(of owner: Incarnation) -> Set<Tenure> {
    Set(shards.filter { $0.owner == owner }.map(\.tenure))
  }

  /// Who is to have a share. One that has died counts until it is deposed: after an outage, whoever
  /// is back first would take everything.
  var sharers: [Incarnation] {
    nodes.filter { !$0.isFenced && !$0.isDraining }.map(\.incarnation)
  }
}
