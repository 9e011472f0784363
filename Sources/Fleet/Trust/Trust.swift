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

/// By how much a node's wall clock differs from the server's, measured with each heartbeat.
package struct Skew: Sendable {
  /// From here on operators are warned.
  static let warned = TimeSpan.milliseconds(250)
  /// From here on a node claims nothing and gives away what it has: everything that it owns would
  /// be said too early or late.
  static let severe = TimeSpan.seconds(2)

  package enum Degree: Hashable, Sendable {
    case none
    case warned
    case severe
  }

  package init() {}

  /// By how much the node's clock is ahead; nil before it was measured.
  package private(set) var lead: TimeSpan?
  /// What the server's clock said last, and when that was.
  package private(set) var reading: (server: Instant, sinceBoot: TimeSpan)?

  package var degree: Degree {
    guard let lead else { return .none }
    let size = max(lead, -lead)
    if size >= Self.severe { return .severe }
    return size >= Self.warned ? .warned : .none
  }

  /// Whether the clock is known to be good enough for more shards.
  var allowsClaims: Bool { lead != nil && degree != .severe }

  /// - Parameter database: what the server's clock said between the two moments.
  mutating func measure(database: Instant, from start: Moment, to end: Moment) {
    let duration = end.sinceBoot - start.sinceBoot
    // An answer that took longer tells less than what is to be told.
    guard duration <= Self.warned * 2 else { return }
    let half = TimeSpan(milliseconds: duration.milliseconds / 2)
    lead = end.wall - half - database
    reading = (database, end.sinceBoot - half)
  }
}
