package import CivilTime

/// The time limits of a fleet. Except for fixed intervals, they are derived from the lease.
package struct FleetTimes: Hashable, Sendable {
  /// The minimum lease. It exceeds the heartbeat interval, a slow answer and the margin together.
  package static let leaseMin = TimeSpan.seconds(3)

  /// The time without a heartbeat after which other nodes evict a node.
  package let lease: TimeSpan
  /// The interval of heartbeats.
  package let heartbeat = TimeSpan.seconds(1)
  /// The interval at which a node reads the other nodes' state. The reading shows whether the
  /// session of a dead node has ended. So most of the time until the dead node's shards have an
  /// owner again is this interval.
  package let look = TimeSpan.milliseconds(500)
  /// The delay before the server is tried again.
  package let retry = TimeSpan.milliseconds(250)
  /// The time from the end of a node's trust (see ``trust``) until other nodes may evict it.
  private let margin = TimeSpan.seconds(1)

  /// - Parameter lease: the lease, raised to ``leaseMin`` if it is shorter.
  package init(lease: TimeSpan = .seconds(5)) {
    self.lease = max(lease, Self.leaseMin)
  }

  /// How long a node trusts itself after the start of its last successful heartbeat.
  package var trust: TimeSpan { lease - margin }

  /// The longest pause between two answers that does not break contact with the server. In such a
  /// pause, another node may be silent for this span and one heartbeat interval, which is less than
  /// a lease.
  var gapMax: TimeSpan { lease - heartbeat - margin }

  /// The server's timeout for a statement of the membership. A few timeouts fit into the trust
  /// time, so that a statement that waits for a lock does not end the node's trust.
  package var statementMax: TimeSpan { TimeSpan(milliseconds: trust.milliseconds / 4) }

  /// The time without an answer after which the connection is ended. A heartbeat that is answered
  /// later gives no trust.
  package var answerMax: TimeSpan { trust }

  /// The time after which the connection is ended if the server's machine has not acknowledged the
  /// sent data.
  package var acknowledgementMax: TimeSpan { TimeSpan(milliseconds: trust.milliseconds / 2) }
}
