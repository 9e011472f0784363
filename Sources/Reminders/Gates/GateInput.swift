package import CivilTime

/// All that the gates look at for one occurrence; ready to use, so that deciding allocates nothing.
package struct GateInput: Sendable {
  package var planned: Instant
  /// How long after `planned` it is still worth delivering (rule T7).
  package var expires: TimeSpan
  package var urgency: Urgency
  /// Whether there will be another of its kind: what a vacation need not keep.
  package var isRepeating: Bool
  package var isMasterOn: Bool
  package var isCategoryOn: Bool
  package var zone: Zone
  package var quietHours: QuietHours
  /// What its category does in quiet hours.
  package var quietAction = QuietAction.hold
  /// What its category does at the daily cap.
  package var capAction = CapAction.hold
  /// Whether one of its channels has somewhere to send to.
  package var isReachable = true
  /// The first instant after the vacation; nil when there is none.
  package var vacationEnd: Instant?
  /// What the calendar says of the planned local date.
  package var rest = Rest.none
  /// When the person's e-mail is next collected after it was planned; nil for what does not wait.
  package var collection: Instant?
  /// Whether it goes out where it can disturb: not in the app (rule V3).
  package var isInterrupting = true
  /// Whether the person is in the app right now (rule V3).
  package var isInteractive = false
  package var minimumInterval: TimeSpan?
  package var capPerDay: Int?
  /// When something was last delivered that counts (rule V5), ascending.
  package var recent: [Instant] = []

  /// The last instant at which it may still go out.
  package var expiry: Instant { planned + expires }

  /// Whether it counts towards the interval and the cap, and so waits for them (rule V5).
  package var isCounted: Bool { isInterrupting && urgency < .critical }

  package init(
    planned: Instant, expires: TimeSpan, urgency: Urgency, isRepeating: Bool, isMasterOn: Bool,
    isCategoryOn: Bool, zone: Zone, quietHours: QuietHours
  ) {
    self.planned = planned
    self.expires = expires
    self.urgency = urgency
    self.isRepeating = isRepeating
    self.isMasterOn = isMasterOn
    self.isCategoryOn = isCategoryOn
    self.zone = zone
    self.quietHours = quietHours
  }
}

/// What the calendar says of an occurrence's planned local date (rule V1).
package enum Rest: Hashable, Sendable {
  /// A date like any other.
  case none
  case drops
  /// The first instant of the next date that is not one of rest.
  case holds(until: Instant)
}

/// What a category does within quiet hours (rule V3).
package enum QuietAction: String, CaseIterable, Sendable {
  case hold, silent, drop
}

/// What a category does when the day's cap is reached (rule V5).
package enum CapAction: String, CaseIterable, Sendable {
  case hold, drop
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
