package import CivilTime
package import Store

/// What a node knows of itself in its fleet, as whoever runs it there publishes it.
package struct FleetStatus: Hashable, Sendable {
  /// After how long a silence others take over.
  package var lease: TimeSpan
  /// By how much its clock is ahead of the server's; nil before that was measured.
  package var skew: TimeSpan?
  /// From which skew on operators are to look after it.
  package var skewMax: TimeSpan
  /// Whether it may act without hearing first that it still is a member.
  package var isTrusted: Bool

  package init(
    lease: TimeSpan = .seconds(5), skew: TimeSpan? = nil, skewMax: TimeSpan = .milliseconds(250),
    isTrusted: Bool = true
  ) {
    (self.lease, self.skew, self.skewMax) = (lease, skew, skewMax)
    self.isTrusted = isTrusted
  }
}

/// A fleet as the node shows it that answers: what the store says of all, and what it knows of
/// itself.
package struct FleetOverview: Hashable, Sendable {
  package var stored: StoredFleet
  package var status = FleetStatus()

  package init(stored: StoredFleet) {
    self.stored = stored
  }

  package func standing(of node: StoredFleet.Node) -> NodeStanding {
    stored.standing(of: node, lease: status.lease)
  }

  /// For how long a node has said nothing, by the server's clock; nil for one that never does.
  package func age(of node: StoredFleet.Node) -> TimeSpan? {
    node.heartbeat.map { max(.zero, stored.now - $0) }
  }

  /// Whether the clock of the node that answers is to be looked after.
  package var isSkewed: Bool {
    status.skew.map { max($0, -$0) >= status.skewMax } ?? false
  }

  /// In what its nodes differ that each plans people with: who moves from one to another is
  /// reminded otherwise.
  package var differences: [PlanFingerprint.Part] {
    PlanFingerprint.differences(of: stored.plans.compactMap { PlanFingerprint($0) })
  }

  /// The nodes of a standing.
  package func count(_ standing: NodeStanding) -> Int {
    stored.nodes.count { self.standing(of: $0) == standing }
  }
}
