package import CivilTime

/// How long a node may act as the owner of its shards without a confirmation.
///
/// A node that evicts a silent owner waits until a whole lease has passed since the server wrote
/// the owner's last heartbeat. The owner counts from the earlier instant at which it sent that
/// heartbeat. So the owner has stopped before it is evicted, even if the owner got no answer.
package struct Trust: Hashable, Sendable {
  /// When the last successful heartbeat was sent.
  private let start: Moment
  private let length: TimeSpan

  init(from start: Moment, _ times: FleetTimes) {
    (self.start, length) = (start, times.trust)
  }

  /// Whether an engine cycle or an attempt of a sink may begin.
  package func holds(at moment: Moment) -> Bool {
    moment.sinceBoot - start.sinceBoot < length
  }

  /// The end of the trust, as a time since boot.
  package var end: TimeSpan { start.sinceBoot + length }
}

/// Simultaneous readings of a node's clocks.
package struct Moment: Hashable, Sendable {
  /// The time since boot by CLOCK_BOOTTIME, which advances during suspension and cannot be set. All
  /// spans are measured by it.
  package let sinceBoot: TimeSpan
  /// The wall clock, used only to measure the clock's error.
  package let wall: Instant

  package init(sinceBoot: TimeSpan, wall: Instant) {
    (self.sinceBoot, self.wall) = (sinceBoot, wall)
  }
}

/// The difference between a node's wall clock and the server's, measured with each heartbeat.
package struct Skew: Sendable {
  /// The smallest difference that is reported to operators.
  static let warned = TimeSpan.milliseconds(250)
  /// The smallest difference at which a node claims no shards and releases its own shards, because
  /// it would send everything too early or too late.
  static let severe = TimeSpan.seconds(2)

  package enum Degree: Hashable, Sendable {
    case none
    case warned
    case severe
  }

  package init() {}

  /// How far the node's clock is ahead; nil before the first measurement.
  package private(set) var lead: TimeSpan?
  /// The last reading of the server's clock, and the time since boot of that reading.
  package private(set) var reading: (server: Instant, sinceBoot: TimeSpan)?

  package var degree: Degree {
    guard let lead else { return .none }
    let size = max(lead, -lead)
    if size >= Self.severe { return .severe }
    return size >= Self.warned ? .warned : .none
  }

  /// Whether the clock is known to be good enough to claim shards.
  var allowsClaims: Bool { lead != nil && degree != .severe }

  /// - Parameter database: the server's clock at some time between the two moments.
  mutating func measure(database: Instant, from start: Moment, to end: Moment) {
    let duration = end.sinceBoot - start.sinceBoot
    // A slow answer is less precise than the difference to detect.
    guard duration <= Self.warned * 2 else { return }
    let half = TimeSpan(milliseconds: duration.milliseconds / 2)
    lead = end.wall - half - database
    reading = (database, end.sinceBoot - half)
  }
}
