import CivilTime

/// Measures how long each node's heartbeat has been unchanged, by this node's boot clock.
///
/// A heartbeat's age by the server's clock is not enough. That clock may be set, or be another
/// server's after the promotion of a standby.
struct HeartbeatWatch: Hashable, Sendable {
  private struct Observation: Hashable {
    let heartbeat: Instant
    /// The time since boot at which this heartbeat was first read.
    let since: TimeSpan
  }

  private var observations: [Incarnation: Observation] = [:]

  mutating func observe(_ nodes: [FleetView.Node], now: TimeSpan) {
    var current: [Incarnation: Observation] = [:]
    for node in nodes {
      let previous = observations[node.incarnation]
      let isSame = previous?.heartbeat == node.heartbeat
      current[node.incarnation] =
        isSame ? previous : Observation(heartbeat: node.heartbeat, since: now)
    }
    observations = current
  }

  /// Whether a node's heartbeat has been unchanged for a span.
  func isUnchanged(_ incarnation: Incarnation, for span: TimeSpan, at now: TimeSpan) -> Bool {
    observations[incarnation].map { now - $0.since >= span } ?? false
  }
}

/// Measures how long a node has had uninterrupted contact with the server.
///
/// After a time without contact, the heartbeats of others look as old as that time. So the node
/// must not judge other nodes by their heartbeats before a whole lease has passed.
struct Contact: Hashable, Sendable {
  /// The time since boot at which the current uninterrupted contact began; nil before any answer.
  private var since: TimeSpan?
  /// The time since boot of the last answer.
  private var last: TimeSpan?

  /// - Parameter end: when the answer was received, since boot.
  mutating func recordContact(at end: TimeSpan, _ times: FleetTimes) {
    if !isFresh(at: end, times) { since = end }
    last = end
  }

  /// Whether the contact has lasted for a span and continues.
  func hasLasted(_ span: TimeSpan, at now: TimeSpan, _ times: FleetTimes) -> Bool {
    guard let since, isFresh(at: now, times) else { return false }
    return now - since >= span
  }

  private func isFresh(at now: TimeSpan, _ times: FleetTimes) -> Bool {
    last.map { now - $0 <= times.gapMax } ?? false
  }
}
