import CivilTime

/// Since when each node's heartbeat has been the same, as this node has seen it.
///
/// The server's clock says how old a heartbeat is, but that clock too may be set, or be another's
/// after a standby was promoted.
struct HeartbeatWatch: Hashable, Sendable {
  private struct Sight: Hashable {
    let heartbeat: Instant
    let since: TimeSpan
  }

  private var sights: [Incarnation: Sight] = [:]

  mutating func look(at nodes: [FleetView.Node], now: TimeSpan) {
    var seen: [Incarnation: Sight] = [:]
    for node in nodes {
      let known = sights[node.incarnation]
      let isSame = known?.heartbeat == node.heartbeat
      seen[node.incarnation] =
        isSame ? known : Sight(heartbeat: node.heartbeat, since: now)
    }
    sights = seen
  }

  /// Whether a node has said nothing for so long.
  func isStill(_ incarnation: Incarnation, for span: TimeSpan, at now: TimeSpan) -> Bool {
    sights[incarnation].map { now - $0.since >= span } ?? false
  }
}

/// For how long a node has heard from the server without a break.
///
/// Who was away, or whose server was, sees the heartbeats of others as old as its own break: for a
/// lease it must not judge by them.
struct Contact: Hashable, Sendable {
  private var since: TimeSpan?
  private var last: TimeSpan?

  /// - Parameter end: when the answer was there, since boot.
  mutating func hear(at end: TimeSpan, _ times: FleetTimes) {
    if !isFresh(at: end, times) { since = end }
    last = end
  }

  func hasLasted(_ span: TimeSpan, at now: TimeSpan, _ times: FleetTimes) -> Bool {
    guard let since, isFresh(at: now, times) else { return false }
    return now - since >= span
  }

  private func isFresh(at now: TimeSpan, _ times: FleetTimes) -> Bool {
    last.map { now - $0 <= times.gapMax } ?? false
  }
}
