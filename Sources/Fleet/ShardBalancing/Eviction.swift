import CivilTime

/// Why a node is evicted.
package enum EvictionReason: String, CaseIterable, Sendable {
  /// The node's session has ended and its lock is free: the process has died or is restarting.
  case gone
  /// The node has sent no heartbeat for a lease, but its session exists: the process or the network
  /// hangs.
  case silent
  /// The node is an earlier incarnation of this process. Its engine was discarded.
  case own
}

/// Finds the nodes to evict, given the view of one node.
struct Eviction {
  let view: FleetView
  let node: Incarnation
  let times: FleetTimes

  /// Returns the nodes to evict, each with the reason.
  func candidates(
    _ contact: Contact, _ watch: HeartbeatWatch, at now: TimeSpan
  ) -> [(Incarnation, EvictionReason)] {
    // After a break of this node's or the server's connection, the other nodes first need time to
    // send heartbeats. Contact is measured on one connection, so the server has been up for at
    // least as long, even if its clock was set.
    guard contact.hasLasted(times.lease, at: now, times) else { return [] }
    return view.nodes.compactMap { other in
      guard other.incarnation != node, !other.isFenced else { return nil }
      return reason(other, watch, at: now).map { (other.incarnation, $0) }
    }
  }

  private func reason(
    _ other: FleetView.Node, _ watch: HeartbeatWatch, at now: TimeSpan
  ) -> EvictionReason? {
    guard other.isConnected else { return .gone }
    // If the server's clock was set ahead, every heartbeat looks old, but the heartbeats of live
    // nodes still change.
    let isSilent =
      view.now - other.heartbeat >= times.lease
      && watch.isUnchanged(other.incarnation, for: times.trust, at: now)
    return isSilent ? .silent : nil
  }
}
