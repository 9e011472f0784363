package import CivilTime

/// A rule that passes, holds until an instant, or drops; in the order in which they apply (rule
/// V1). Raw values are stored: never renumber.
package enum Gate: UInt8, CaseIterable, Sendable {
  case expiry = 0
  case master = 1
  case category = 2
  /// An address to send to, and the permission to.
  case address = 3
  case vacation = 4
  /// Rest days, weekends and holidays.
  case calendar = 5
  case quietHours = 6
  case minimumInterval = 7
  case dailyCap = 8
  /// Objects to nothing: what it takes goes out as part of a digest.
  case bundling = 9
  /// Not a gate of its own: of a repeating reminder only the latest missed occurrence goes out
  /// (rule T7).
  case missed = 10
  /// The person reads e-mail once a day or once a week.
  case emailFrequency = 11
  /// Not a gate of its own: while a delivery was on its way, what it speaks of was cancelled, done
  /// or superseded (rule G1).
  case withdrawn = 12

  /// Those that are asked about one occurrence, in order; bundling looks at several at once.
  package static let applied = unconditional + slots
  /// Those that are asked at every instant.
  package static let unconditional: [Gate] = [
    .expiry, .master, .category, .address, .vacation, .calendar, .quietHours,
  ]
  /// The same for e-mail that is collected.
  static let unconditionalForCollected = unconditional + [.emailFrequency]
  /// Those that are asked only where all others are open (rule V5).
  static let slots: [Gate] = [.minimumInterval, .dailyCap]

  /// What it is called as a reason.
  package var reason: String {
    switch self {
    case .expiry: "expired"
    case .master: "master"
    case .category: "category"
    case .address: "address"
    case .vacation: "vacation"
    case .calendar: "calendar"
    case .quietHours: "quiet_hours"
    case .minimumInterval: "minimum_interval"
    case .dailyCap: "daily_cap"
    case .bundling: "bundling"
    case .missed: "missed"
    case .emailFrequency: "email_frequency"
    case .withdrawn: "withdrawn"
    }
  }
}

/// What one gate said at one instant.
package enum Finding: Hashable, Sendable {
  case passes
  /// Passes, but is to make no sound (rule V3).
  case silences
  /// Shut until an instant that is later than the one asked about.
  case holds(until: Instant)
  case drops
}
