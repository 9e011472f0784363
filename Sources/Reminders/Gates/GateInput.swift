package import CivilTime

/// All that the gates look at for one occurrence; ready to use, so that deciding allocates nothing.
package struct GateInput: Hashable, Sendable {
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
  /// What its category does in a vacation.
  package var vacationAction = VacationAction.hold
  /// Whether one of its channels has somewhere to send to.
  package var isReachable = true
  /// The person's vacation, if there is one.
  package var vacation: Vacation?
  /// Whether a vacation has held it: then it waits for the start of the day after.
  package var wasAway = false
  /// How long its expiry has stood still, or will until the vacation lets it go (rule V4).
  package var stood = TimeSpan.zero
  /// What it is about begins then: it is never said at that instant or later (rule V10).
  package var deadline: Instant?
  /// When the person's day starts where no quiet window says it (rule V9).
  package var dayStart = LocalTime(minuteOfDay: 480) ?? .midnight
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
  /// The latest local date whose cap has held it (rule V9).
  package var cappedOn: LocalDate?
  /// When something was last delivered that counts (rule V5), ascending.
  package var recent: [Instant] = []
  /// What has its slots kept for it, if that is known of.
  package var kept: KeptSlots?
  /// The gates that pass whatever they look at, as bits of their raw values: what would happen
  /// without them.
  package var ignored: UInt32 = 0

  package func ignores(_ gate: Gate) -> Bool { ignored >> UInt32(gate.rawValue) & 1 == 1 }

  /// The last instant at which it may still go out.
  package var expiry: Instant {
    let expiry = planned + expires + stood
    return deadline.map { min(expiry, $0 - .milliseconds(1)) } ?? expiry
  }

  /// Whether it counts towards the interval and the cap, and so waits for them (rule V5).
  package var isCounted: Bool { isInterrupting && urgency < .critical }

  /// The same without interval and cap: as if it alone waited.
  package var alone: GateInput {
    var alone = self
    alone.minimumInterval = nil
    alone.capPerDay = nil
    alone.cappedOn = nil
    return alone
  }

  /// When a vacation lets go what it holds, as long as this expires no further (rule V4); nil where
  /// none does.
  package func release(heldAt instant: Instant) -> Instant? {
    guard let vacation, instant < vacation.release, urgency < .critical, !isRepeating,
      vacationAction == .hold, !ignores(.vacation)
    else { return nil }
    return vacation.release
  }

  /// Whether the person is away, or is not to be told yet of what waited for the end of that.
  func isAway(at instant: Instant) -> Bool {
    vacation.map { instant < (wasAway || planned < $0.end ? $0.release : $0.end) } ?? false
  }

  /// When the person's day starts, if the cap of an earlier date holds this until then (rule V9).
  func capRelease(at instant: Instant) -> Instant? {
    guard let cappedOn else { return nil }
    let date = zone.date(at: instant)
    guard cappedOn < date else { return nil }
    let start = startOfDay(on: date)
    return instant < start ? start : nil
  }

  /// What defines the end of a hold: what is the same before and after an event leaves the end
  /// alone (rule V11).
  ///
  /// - Parameters:
  ///   - holds: the gates that have held it.
  ///   - isWaiting: whether it waits for a slot.
  func definition(of holds: GateTrace, isWaiting: Bool) -> GateInput {
    var input = isWaiting ? self : alone
    input.recent = []
    if !isWaiting { (input.dayStart, input.capAction) = (.midnight, .hold) }
    if !isWaiting, !holds.hasHeld(.quietHours) {
      input.quietHours = QuietHours(isEnabled: false, start: .midnight, end: .midnight)
      input.quietAction = .hold
    }
    if !holds.hasHeld(.vacation) { input.vacation = nil }
    if !holds.hasHeld(.calendar) { input.rest = .none }
    if !holds.hasHeld(.emailFrequency) { input.collection = nil }
    return input
  }

  /// When the person's day starts on a date (rule V9).
  package func startOfDay(on date: LocalDate) -> Instant {
    quietHours.dayStart(on: date, declared: dayStart, in: zone)
  }

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

/// A vacation, as far as it is still to come.
package struct Vacation: Hashable, Sendable {
  /// The first instant after its last local date.
  package var end: Instant
  /// The start of the person's day after it.
  package var release: Instant

  package init(end: Instant, release: Instant) {
    self.end = end
    self.release = release
  }
}

/// What the calendar says of an occurrence's planned local date (rule V1).
package enum Rest: Hashable, Sendable {
  /// A date like any other.
  case none
  case drops
  /// The start of the person's day on the next date that is not one of rest.
  case holds(until: Instant)
}

/// What a category does within quiet hours (rule V3).
package enum QuietAction: String, CaseIterable, Sendable {
  case hold, silent, drop
}

/// What a category does in a vacation with what comes once (rule V4).
package enum VacationAction: String, CaseIterable, Sendable {
  case hold, pass, drop
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
