package import CivilTime

/// What every gate said about one occurrence over all its rounds, two bits for each gate: not
/// asked, passed, held, dropped (rule V1 keeps all verdicts, not only the first that objects). In
/// the upper half it has the length of a run of missed occurrences, which is told of as one.
package struct GateTrace: Hashable, Sendable {
  package var rawValue: UInt64

  package init(rawValue: UInt64 = 0) {
    self.rawValue = rawValue
  }

  /// How many occurrences in a row it stands for: more than one only where the others were missed
  /// as well (rule T7).
  package var runLength: Int {
    get { max(1, Int(rawValue >> 32)) }
    set { rawValue = rawValue & Self.verdicts | UInt64(max(0, newValue)) << 32 }
  }

  private static let verdicts: UInt64 = 0xffff_ffff

  /// Notes a finding; a hold or a drop is never forgotten for a later pass.
  package mutating func note(_ gate: Gate, _ finding: Finding) {
    raise(gate, to: finding.rank)
  }

  /// Notes that what expired was `missed`: it had a turn that the service did not keep (rule V10).
  mutating func replaceExpiry() {
    guard firstDrop == .expiry else { return }
    rawValue &= ~(3 << (2 * UInt64(Gate.expiry.rawValue)))
    note(.missed, .drops)
  }

  /// Adds what another trace noted.
  package mutating func add(_ other: GateTrace) {
    // The first round of most has nothing before it.
    guard rawValue != 0 else {
      rawValue = other.rawValue
      return
    }
    for gate in Gate.allCases { raise(gate, to: other.rank(gate)) }
    if other.runLength > runLength { runLength = other.runLength }
  }

  /// Whether it has all that another noted: whether that may have come before it.
  package func contains(_ other: GateTrace) -> Bool {
    var both = self
    both.add(other)
    return both == self
  }

  /// Whether a gate has held it.
  package var hasHolds: Bool {
    Gate.allCases.contains { rank($0) == Self.held }
  }

  package func hasHeld(_ gate: Gate) -> Bool { rank(gate) == Self.held }
  package func hasDropped(_ gate: Gate) -> Bool { rank(gate) == Self.dropped }

  /// Of the gates that dropped it, the first.
  package var firstDrop: Gate? { Gate.allCases.first(where: hasDropped) }

  /// The names of the gates that held or dropped it: holds in the order of the gates, then what
  /// dropped it.
  package var reasons: [String] {
    names { $0 == Self.held } + names { $0 == Self.dropped }
  }

  package var isClear: Bool {
    rawValue & 0xaaaa_aaaa == 0
  }

  /// The word for what a gate said, or nil if it was not asked.
  package func word(for gate: Gate) -> String? {
    switch rank(gate) {
    case 1: "passed"
    case Self.held: "held"
    case Self.dropped: "dropped"
    default: nil
    }
  }

  private static let held: UInt64 = 2
  private static let dropped: UInt64 = 3

  private func names(where isWanted: (UInt64) -> Bool) -> [String] {
    Gate.allCases.filter { isWanted(rank($0)) }.map(\.reason)
  }

  private func rank(_ gate: Gate) -> UInt64 {
    rawValue >> (2 * UInt64(gate.rawValue)) & 3
  }

  private mutating func raise(_ gate: Gate, to rank: UInt64) {
    guard rank > self.rank(gate) else { return }
    let shift = 2 * UInt64(gate.rawValue)
    rawValue = rawValue & ~(3 << shift) | rank << shift
  }
}

extension Finding {
  fileprivate var rank: UInt64 {
    switch self {
    case .passes, .silences: 1
    case .holds: 2
    case .drops: 3
    }
  }
}

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
  /// (rule T7), and what was to be brought forward while the service was down is missed (rule V10).
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
