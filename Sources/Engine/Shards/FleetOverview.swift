package import CivilTime
package import Store

/// A node's own status in its fleet, provided by its `EngineSupervisor`.
package struct FleetStatus: Hashable, Sendable {
  /// The silence after which other nodes evict a node.
  package var lease: TimeSpan
  /// How far the node's clock is ahead of the server's; nil until it is measured.
  package var skew: TimeSpan?
  /// The smallest skew about which operators are warned.
  package var skewMax: TimeSpan
  /// Whether the node may act without a new confirmation of its membership.
  package var isTrusted: Bool
  /// How many nodes this one has evicted since its start; an entry for each reason.
  package var evictions: [Evictions]

  package init(
    lease: TimeSpan = .seconds(5), skew: TimeSpan? = nil, skewMax: TimeSpan = .milliseconds(250),
    isTrusted: Bool = true, evictions: [Evictions] = []
  ) {
    (self.lease, self.skew, self.skewMax) = (lease, skew, skewMax)
    (self.isTrusted, self.evictions) = (isTrusted, evictions)
  }

  /// The number of evictions with one reason.
  package struct Evictions: Hashable, Sendable {
    package var reason: String
    package var count: Int

    package init(reason: String, count: Int) {
      (self.reason, self.count) = (reason, count)
    }
  }
}

/// A fleet as seen by the answering node: the store's data about all nodes, and the node's own
/// status.
package struct FleetOverview: Hashable, Sendable {
  /// The store's data about all nodes.
  package var stored: StoredFleet
  /// The status of the answering node.
  package var status = FleetStatus()

  package init(stored: StoredFleet) {
    self.stored = stored
  }

  /// Returns the state of a node as the answering node sees it.
  package func standing(of node: StoredFleet.Node) -> NodeStanding {
    stored.standing(of: node, lease: status.lease)
  }

  /// The time since a node's last heartbeat, by the server's clock; nil for a node without
  /// heartbeats.
  package func age(of node: StoredFleet.Node) -> TimeSpan? {
    node.heartbeat.map { max(.zero, stored.now - $0) }
  }

  /// Whether the clock of the answering node needs attention.
  package var isSkewed: Bool {
    status.skew.map { max($0, -$0) >= status.skewMax } ?? false
  }

  /// The number of nodes that claim shards without an owner: those that serve, unless their clocks
  /// are wrong by too much (rule F6).
  package var takers: Int {
    stored.nodes.count { node in
      let skew = node.incarnation == stored.ownIncarnation ? status.skew : node.skew
      return standing(of: node) == .serving && !StoredFleet.isSevere(skew)
    }
  }

  /// The planning inputs that differ between nodes. A recipient that moves is scheduled by the new
  /// node's inputs.
  package var differences: [PlanFingerprint.Part] {
    PlanFingerprint.differences(of: stored.plans.compactMap { PlanFingerprint($0) })
  }

  /// Returns the number of nodes with the given standing.
  package func count(_ standing: NodeStanding) -> Int {
    stored.nodes.count { self.standing(of: $0) == standing }
  }
}
