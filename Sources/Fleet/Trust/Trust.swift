package import CivilTime

/// How long a node may act as the owner of its shards without hearing that it still is.
///
/// Whoever takes over waits for a lease from when the server wrote the heartbeat, which was after
/// the node sent it. So the node has ceased to act by then, whatever became of the answer.
package struct Trust: Hashable, Sendable {
  /// When the last good heartbeat was sent.
  private let start: Moment
  private let length: TimeSpan

  init(from start: Moment, _ times: FleetTimes) {
    (self.start, length) = (start, times.trust)
  }

  /// Whether a turn, or an attempt at a sink, may begin.
  package func holds(at moment: Moment) -> Bool {
    moment.sinceBoot - start.sinceBoot < length
  }

  /// Since boot.
  package var end: TimeSpan { start.sinceBoot + length }
}

/// What the clocks of a node say at once.
package struct Moment: Hashable, Sendable {
  /// CLOCK_BOOTTIME: it goes on while the machine sleeps, and nobody sets it. All that is measured
  /// is measured by this.
  package let sinceBoot: TimeSpan
  /// The wall clock, of which only is of interest how wrong it is.
  package let wall: Instant

  package init(sinceBoot: TimeSpan, wall: Instant) {
    (self.sinceBoot, self.wall) = (sinceBoot, wall)
  }
}
