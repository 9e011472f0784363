package import CivilTime

/// All that the gates look at for one occurrence; ready to use, so that deciding allocates nothing.
package struct GateInput: Sendable {
  package var planned: Instant
  /// How long after `planned` it is still worth delivering (rule T7).
  package var expires: TimeSpan
  package var urgency: Urgency
  package var isMasterOn: Bool
  package var isCategoryOn: Bool
  package var quietHours: QuietHours
  package var zone: Zone
  /// Whether the person is in the app right now (rule V3).
  package var isInteractive = false

  /// The last instant at which it may still go out.
  package var expiry: Instant { planned + expires }
}

/// How much a category matters. Raw values are stored: never renumber.
package enum Urgency: UInt8, CaseIterable, Comparable, Sendable {
  case low, normal, high, critical, mandatory

  package init?(name: String) {
    guard let urgency = Self.allCases.first(where: { "\($0)" == name }) else { return nil }
    self = urgency
  }

  package static func < (left: Urgency, right: Urgency) -> Bool {
    left.rawValue < right.rawValue
  }
}
