package import CivilTime

/// A rule that passes, holds until an instant, or drops; in the order in which they apply (rule
/// V1). Raw values are stored: never renumber.
package enum Gate: UInt8, CaseIterable, Sendable {
  case expiry = 0
  case master = 1
  case category = 2
  case quietHours = 6
  /// Not a gate of its own: of a repeating reminder only the latest missed occurrence goes out
  /// (rule T7).
  case missed = 10

  /// Those that are applied to everything, in order.
  package static let applied: [Gate] = [.expiry, .master, .category, .quietHours]

  /// What it is called as a reason.
  package var reason: String {
    switch self {
    case .expiry: "expired"
    case .master: "master"
    case .category: "category"
    case .quietHours: "quiet_hours"
    case .missed: "missed"
    }
  }
}

/// What one gate said at one instant.
package enum Finding: Hashable, Sendable {
  case passes
  /// Shut until an instant that is later than the one asked about.
  case holds(until: Instant)
  case drops
}
