package import CivilTime

/// The input of all gates for one occurrence, prepared so that a decision allocates nothing.
package struct GateInput: Hashable, Sendable {
  /// The planned instant, or the end of a snooze.
  package var planned: Instant
  /// The time after `planned` in which the occurrence is worth delivering (rule T7).
  package var expires: TimeSpan
  package var urgency: Urgency
  /// Whether the reminder repeats, so that a vacation may drop the occurrence.
  package var isRepeating: Bool
  /// Whether the master switch is on, or the category ignores it.
  package var isMasterOn: Bool
  /// Whether at least one of the occurrence's channels is switched on.
  package var isCategoryOn: Bool
  package var zone: Zone
  package var quietHours: QuietHours
  /// The category's action in quiet hours.
  package var quietAction = QuietAction.hold
  /// The category's action at the daily cap and at the operator's caps on dates.
  package var capAction = CapAction.hold
  /// The category's action in a vacation.
  package var vacationAction = VacationAction.hold
  /// Whether at least one of the occurrence's channels can reach the recipient.
  package var isReachable = true
  /// The absence of the recipient's devices (rule V17); nil if push is used.
  var pushAbsence: PushAbsence?
  /// The hours in which the operator closes each channel that can carry the occurrence; empty if
  /// one is always open.
  package var policyHours: [QuietHours] = []
  /// The recipient's vacations, ascending and disjoint: past, current and announced ones.
  package var vacations: [Vacation] = []
  /// Whether a vacation has held the occurrence, so that it waits for the vacation's release.
  package var wasHeldByVacation = false
  /// The span by which the expiry is later than `planned + expires`: a vacation stopped the expiry
  /// until its release (rule V4), or the occurrence replaces an occurrence that would have expired
  /// later (rule T14).
  package var expiryPause = TimeSpan.zero
  /// The instant up to which `expiryPause` contains all vacations; nil for `planned`.
  package var expiryPauseEnd: Instant?
  /// Whether the expiry was fixed when the occurrence was sent, so that no vacation stops it (rule
  /// V7).
  package var isExpiryFixed = false
  /// The instant that the occurrence announces, such as the start of an appointment. The occurrence
  /// is sent only before that instant (rule V10).
  package var deadline: Instant?
  /// The start of the recipient's day if no quiet window defines it (rule V9).
  package var dayStart = LocalTime(minuteOfDay: 480) ?? .midnight
  /// The effect of days of rest on the planned local date.
  package var rest = Rest.none
  /// The recipient's next collection of e-mail after the planned instant; nil if the occurrence
  /// does not wait for a collection.
  package var collection: Instant?
  /// Whether the occurrence may interrupt; false in the inbox (rule V3).
  package var isInterrupting = true
  /// Whether the person is in the app now (rule V3).
  package var isInteractive = false
  /// The least span between two counted deliveries; nil if there is none.
  package var minimumInterval: TimeSpan?
  /// The maximum number of counted deliveries on a local date; nil if there is none.
  package var capPerDay: Int?
  /// The latest local date whose cap held the occurrence (rule V9).
  package var cappedOn: LocalDate?
  /// Whether a cap of the operator held the occurrence on that date, and not the daily cap.
  package var isCappedByPolicy = false
  /// The operator's caps that concern the occurrence (rule V20).
  package var policyCaps: [AppliedCap] = []
  /// The instants of the latest deliveries that count (rule V5), ascending.
  package var countedDeliveries: [Instant] = []
  /// The reservations for other occurrences; nil if there are none or they are not computed.
  package var reservations: CapReservations?
  /// The gates that are assumed to pass, as bits of their raw values. Explanations thus show the
  /// decision without a gate.
  package var ignoredGates: UInt32 = 0

  package func ignores(_ gate: Gate) -> Bool { ignoredGates >> UInt32(gate.rawValue) & 1 == 1 }

  /// The last instant at which the occurrence may be sent. A vacation that begins before that
  /// instant stops the expiry (rule V16).
  package var expiry: Instant {
    var expiry = planned + expires + expiryPause
    for vacation in vacations where stopsExpiry && holds(vacation) && vacation.start <= expiry {
      guard vacation.start > planned, vacation.start >= expiryPauseEnd ?? planned else { continue }
      expiry = expiry + (vacation.release - vacation.start)
    }
    return deadline.map { min(expiry, $0 - .milliseconds(1)) } ?? expiry
  }

  /// Whether vacations hold the occurrence, and stop its expiry meanwhile (rule V4).
  private var stopsExpiry: Bool {
    urgency < .critical && !isRepeating && vacationAction == .hold && !ignores(.vacation)
      && !isExpiryFixed
  }

  /// Sets the span by which vacations have extended the expiry of an occurrence in progress.
  mutating func setExpiryPause(of entry: Progress.InProgress) {
    (expiryPause, expiryPauseEnd) = (entry.expiryPause, entry.expiryPauseEnd)
  }

  /// Whether the occurrence counts towards minimum interval and cap, and so is subject to them
  /// (rule V5).
  package var isCounted: Bool { isInterrupting && urgency < .critical }

  /// The input without minimum interval and cap, as if no other occurrence existed.
  package var withoutIntervalAndCap: GateInput {
    var input = self
    input.minimumInterval = nil
    input.capPerDay = nil
    input.cappedOn = nil
    input.policyCaps = []
    return input
  }

  /// Returns the vacation that stops the expiry of the occurrence at an instant, until the release
  /// (rule V4); nil if there is none.
  func vacation(stoppingExpiryAt instant: Instant) -> Vacation? {
    guard stopsExpiry else { return nil }
    return vacations.first { holds($0) && $0.start <= instant && instant < $0.release }
  }

  /// Stops the expiry if the occurrence is planned in a vacation.
  mutating func stopExpiryAsPlanned() {
    guard let release = vacation(stoppingExpiryAt: planned)?.release else { return }
    (expiryPause, expiryPauseEnd) = (expiryPause + (release - planned), release)
  }

  /// Returns the vacations that have stopped the expiry of the occurrence and are over at an
  /// instant.
  func vacations(endedBy instant: Instant) -> [Vacation] {
    stopsExpiry ? vacations.filter { holds($0) && $0.release <= instant } : []
  }

  /// Whether a vacation may hold the occurrence. One that was over when it was reported holds only
  /// what a vacation has held before, so that a repeated report releases nothing at night.
  private func holds(_ vacation: Vacation) -> Bool {
    wasHeldByVacation || vacation.start < vacation.end
  }

  /// Returns the current vacation, or an ended one that has not released the occurrence yet; nil if
  /// there is neither.
  func vacation(at instant: Instant) -> Vacation? {
    vacations.first { vacation in
      guard holds(vacation) else { return false }
      let end = wasHeldByVacation || planned < vacation.end ? vacation.release : vacation.end
      return vacation.start <= instant && instant < end
    }
  }

  /// Returns the start of the recipient's day, if the cap of an earlier date holds the occurrence
  /// until then; otherwise nil (rule V9).
  func capRelease(at instant: Instant) -> Instant? {
    guard let cappedOn else { return nil }
    let date = zone.date(at: instant)
    guard cappedOn < date else { return nil }
    let start = startOfDay(on: date)
    return instant < start ? start : nil
  }

  /// Returns the part of the input that determines the end of a hold. If an event does not change
  /// this part, the end stays as it is (rule V11).
  ///
  /// - Parameters:
  ///   - holds: the gates that have held the occurrence.
  ///   - isWaiting: whether minimum interval or cap makes the occurrence wait.
  func definition(of holds: GateTrace, isWaiting: Bool) -> GateInput {
    var input = isWaiting ? self : withoutIntervalAndCap
    input.countedDeliveries = []
    for index in input.policyCaps.indices { input.policyCaps[index].countedDeliveries = [] }
    if !isWaiting { (input.dayStart, input.capAction) = (.midnight, .hold) }
    if !isWaiting, !holds.hasHeld(.quietHours) {
      input.quietHours = QuietHours(isEnabled: false, start: .midnight, end: .midnight)
      input.quietAction = .hold
    }
    if !holds.hasHeld(.policyHours) { input.policyHours = [] }
    if !holds.hasHeld(.vacation) { input.vacations = [] }
    if !holds.hasHeld(.calendar) { input.rest = .none }
    if !holds.hasHeld(.emailFrequency) { input.collection = nil }
    return input
  }

  /// Returns the start of the recipient's day on a date (rule V9).
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

/// The effect of days of rest on an occurrence, by its planned local date (rule V1).
package enum Rest: Hashable, Sendable {
  /// The date is no day of rest.
  case none
  /// The occurrence is dropped.
  case drops
  /// The occurrence is held until the start of the recipient's day on the next date that is no day
  /// of rest.
  case holds(until: Instant)
}

/// A category's action in quiet hours (rule V3).
package enum QuietAction: String, CaseIterable, Sendable {
  /// Holds the occurrence until the window ends, sends it without a sound, or drops it.
  case hold, silent, drop
}

/// A category's action in a vacation (rule V4). `hold` drops the occurrences of repeating
/// reminders.
package enum VacationAction: String, CaseIterable, Sendable {
  /// Holds the occurrence until the release, ignores the vacation, or drops the occurrence.
  case hold, pass, drop
}

/// A category's action when the daily cap, or an operator's cap on dates, is reached (rules V13,
/// V20).
package enum CapAction: String, CaseIterable, Sendable {
  /// Holds the occurrence until the start of the next day, or drops it.
  case hold, drop
}

/// The importance of a category or reminder. Critical occurrences ignore vacations, days of rest,
/// minimum interval and cap, and by default quiet hours. Mandatory ones also ignore all quiet
/// hours, the operator's hours, and the switches of master, category and channel. Raw values are
/// stored: never renumber them.
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
