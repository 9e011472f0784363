import CivilTime

/// Why a node is taken to be no more.
package enum DeposingReason: Hashable, Sendable {
  /// Its session has ended, and its lock is free: the process has died, or begins anew.
  case gone
  /// It has said nothing for a lease, though its session is there: it hangs, or the network does.
  case silent
  /// It was this process's own, whose engine is discarded.
  case own
}

/// Who is to be deposed, by what a node has seen.
struct Deposing {
  let view: FleetView
  let node: Incarnation
  let times: FleetTimes

  func candidates(
    _ contact: Contact, _ watch: HeartbeatWatch, at now: TimeSpan
  ) -> [(Incarnation, DeposingReason)] {
    // After a break of the node's own, or of the server's, the others have to have their time. A
    // contact is one connection's: the server has been up as long, whatever its clock says.
    guard contact.hasLasted(times.lease, at: now, times) else { return [] }
    return view.nodes.compactMap { other in
      guard other.incarnation != node, !other.isFenced else { return nil }
      return reason(other, watch, at: now).map { (other.incarnation, $0) }
    }
  }

  private func reason(
    _ other: FleetView.Node, _ watch: HeartbeatWatch, at now: TimeSpan
  ) -> DeposingReason? {
    guard other.isConnected else { return .gone }
    // A server's clock that was set ahead makes every heartbeat old, but nobody is still.
    let isSilent =
      view.now - other.heartbeat >= times.lease
      && watch.isStill(other.incarnation, for: times.trust, at: now)
    return isSilent ? .silent : nil
  }
}
