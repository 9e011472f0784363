package import CivilTime

/// By how much a node's wall clock differs from the server's, measured with each heartbeat.
package struct Skew: Hashable, Sendable {
  /// From here on operators are warned.
  static let warned = TimeSpan.milliseconds(250)
  /// From here on a node claims nothing: everything that it owns would be said too early or late.
  static let severe = TimeSpan.seconds(2)

  package enum Degree: Hashable, Sendable {
    case none
    case warned
    case severe
  }

  package init() {}

  /// By how much the node's clock is ahead; nil before it was measured.
  package private(set) var lead: TimeSpan?

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
    let middle = end.wall - TimeSpan(milliseconds: duration.milliseconds / 2)
    lead = middle - database
  }
}
