package import CivilTime

/// The gates, as pure functions. Planning, firing and explanations evaluate the same gates (rule
/// V7).
package enum Gates {
  /// Finds the earliest instant from `start` on at which every gate passes, or at which a gate
  /// drops the occurrence (rule V2).
  ///
  /// Each hold ends at the first instant at which the gate passes, so no possible instant is
  /// skipped.
  ///
  /// - Parameters:
  ///   - ignoringLimits: whether minimum interval and caps count as passed, as if no other
  ///     occurrence existed.
  ///   - observe: called with each finding at each evaluated instant, for explanations.
  /// - Complexity: one pass over the gates for each hold, and a final pass; no allocation.
  @inline(__always)
  package static func decide(
    _ input: GateInput, from start: Instant, ignoringLimits: Bool = false,
    observe: (Instant, Gate, Finding) -> Void = { _, _, _ in }
  ) -> Decision {
    var trace = GateTrace()
    var instant = start
    var bound = LoopBound("gates")
    while bound.countStep() {
      let evaluation = evaluate(
        input, at: instant, ignoringLimits: ignoringLimits, trace: &trace, observe: observe)
      if evaluation.isDropped { return Decision(outcome: .dropped, at: instant, trace: trace) }
      guard let heldUntil = evaluation.heldUntil else {
        return Decision(
          outcome: .delivered, at: instant, trace: trace, isSilent: evaluation.isSilent)
      }
      instant = heldUntil
    }
    return Decision(outcome: .dropped, at: instant, trace: trace)
  }

  /// The result of evaluating the gates at one instant.
  private struct Evaluation {
    /// The latest end of the holds; nil if no gate holds the occurrence.
    var heldUntil: Instant?
    var isDropped = false
    var isSilent = false
  }

  @inline(__always)
  private static func evaluate(
    _ input: GateInput, at instant: Instant, ignoringLimits: Bool, trace: inout GateTrace,
    observe: (Instant, Gate, Finding) -> Void
  ) -> Evaluation {
    var evaluation = Evaluation()
    func note(_ gate: Gate, _ finding: Finding) {
      trace.note(gate, finding)
      observe(instant, gate, finding)
      switch finding {
      case .passes: break
      case .silences: evaluation.isSilent = true
      case .holds(let until): evaluation.heldUntil = max(evaluation.heldUntil ?? until, until)
      case .drops: evaluation.isDropped = true
      }
    }
    let isCollected = input.collection != nil
    for gate in isCollected ? Gate.unconditionalForCollected : Gate.unconditional {
      note(gate, finding(gate, input, at: instant))
    }
    if input.hasPolicyHours { note(.policyHours, finding(.policyHours, input, at: instant)) }
    guard evaluation.heldUntil == nil, !evaluation.isDropped else { return evaluation }
    guard !ignoringLimits else {
      for gate in Gate.conditional { note(gate, .passes) }
      return evaluation
    }
    for gate in input.conditionalGates { note(gate, finding(gate, input, at: instant)) }
    return evaluation
  }
}

/// The gates' decision about one occurrence.
package struct Decision: Hashable, Sendable {
  package var outcome: Outcome
  /// The instant at which the occurrence is sent or, for a drop, at which sending became
  /// impossible.
  package var at: Instant
  package var trace: GateTrace
  /// Whether the occurrence is sent without a sound.
  package var isSilent = false
}

extension Decision {
  /// Returns the decision as views show it: a drop is shown at its planned instant (rule L1).
  func shown(planned: Instant) -> Decision {
    var shown = self
    shown.at = outcome.instant(planned: planned, decided: at)
    return shown
  }
}

/// The end of an occurrence. Raw values are stored: never renumber them.
package enum Outcome: UInt8, Sendable {
  /// The gates let the occurrence pass, and it is sent as a notification.
  case delivered = 1
  /// A gate dropped the occurrence.
  case dropped = 2
  /// The occurrence is delivered as part of a digest, which is itself a notification (rule V6).
  case bundled = 3

  /// Returns whether this outcome replaces a recorded outcome of the same occurrence. Only a drop
  /// is replaced. A clock that was ahead may have caused the drop, so that the occurrence is
  /// decided again (rule T11).
  package func replaces(_ other: Outcome) -> Bool { other == .dropped }

  /// Returns the instant at which views show the outcome: for a drop, the planned instant (rule
  /// L1).
  func instant(planned: Instant, decided: Instant) -> Instant {
    self == .dropped ? planned : decided
  }

  package var name: String {
    switch self {
    case .delivered: "delivered"
    case .dropped: "dropped"
    case .bundled: "bundled"
    }
  }
}

extension Gates {
  /// Returns the finding of one gate at an instant.
  package static func finding(_ gate: Gate, _ input: GateInput, at instant: Instant) -> Finding {
    guard input.ignoredGates == 0 || !input.ignores(gate) else { return .passes }
    return switch gate {
    case .expiry: instant > input.expiry ? .drops : .passes
    case .master: input.isMasterOn || input.urgency == .mandatory ? .passes : .drops
    case .category: input.isCategoryOn || input.urgency == .mandatory ? .passes : .drops
    case .address: input.isReachable ? .passes : .drops
    case .vacation: vacation(input, at: instant)
    case .calendar: calendar(input, at: instant)
    case .quietHours: quietHours(input, at: instant)
    case .policyHours: policyHours(input, at: instant)
    case .minimumInterval: minimumInterval(input, at: instant)
    case .dailyCap: dailyCap(input, at: instant)
    case .policyCap: policyCaps(input, at: instant)
    case .emailFrequency: emailFrequency(input, at: instant)
    case .bundling, .missed, .withdrawn: .passes
    }
  }

  private static func emailFrequency(_ input: GateInput, at instant: Instant) -> Finding {
    guard let collection = input.collection, instant < collection else { return .passes }
    return .holds(until: collection)
  }

  /// Drops the occurrences of repeating reminders, and holds others until the day after the
  /// vacation. The category may declare another action (rule V4).
  private static func vacation(_ input: GateInput, at instant: Instant) -> Finding {
    guard input.urgency < .critical, input.vacationAction != .pass,
      let vacation = input.vacation(at: instant)
    else { return .passes }
    let isDropped = input.isRepeating || input.vacationAction == .drop
    return isDropped ? .drops : .holds(until: vacation.release)
  }

  private static func calendar(_ input: GateInput, at instant: Instant) -> Finding {
    guard input.urgency < .critical else { return .passes }
    switch input.rest {
    case .none: return .passes
    case .drops: return .drops
    case .holds(let until): return instant < until ? .holds(until: until) : .passes
    }
  }

  /// Mandatory and interactive occurrences always pass. Critical occurrences pass unless the
  /// recipient disallows that (rule V3).
  private static func quietHours(_ input: GateInput, at instant: Instant) -> Finding {
    let passes =
      input.isInteractive || input.urgency == .mandatory
      || (input.urgency == .critical && input.quietHours.allowsCritical)
    if passes { return .passes }
    guard let end = input.quietHours.windowEnd(at: instant, in: input.zone) else { return .passes }
    guard input.isInterrupting else { return .silences }
    switch input.quietAction {
    case .hold: return .holds(until: end)
    case .silent: return .silences
    // Critical occurrences pass by default. If a recipient disallows that, they are held and not
    // dropped.
    case .drop: return input.urgency == .critical ? .holds(until: end) : .drops
    }
  }

  private static func policyHours(_ input: GateInput, at instant: Instant) -> Finding {
    input.closedByPolicy(at: instant).map { .holds(until: $0.end) } ?? .passes
  }

  private static func minimumInterval(_ input: GateInput, at instant: Instant) -> Finding {
    guard let interval = input.minimumInterval, input.isCounted else { return .passes }
    if let last = input.countedDeliveries.last, instant < last + interval {
      return .holds(until: last + interval)
    }
    guard let next = input.reservations?.next(at: instant), instant + interval > next else {
      return .passes
    }
    return .holds(until: next + interval)
  }

  /// Holds or drops an occurrence if the recipient's local date has no capacity left (rule V5). On
  /// a later date, an occurrence that the cap held waits for the start of the day, whatever changes
  /// meanwhile (rule V9).
  private static func dailyCap(_ input: GateInput, at instant: Instant) -> Finding {
    guard input.isCounted else { return .passes }
    if !input.isCappedByPolicy, let release = input.capRelease(at: instant) {
      return .holds(until: release)
    }
    guard let cap = input.capPerDay else { return .passes }
    let date = input.zone.date(at: instant)
    let reserved = input.reservations?.count(at: instant) ?? 0
    guard input.countedDeliveries.count + reserved >= cap,
      input.count(on: date, before: instant) + reserved >= cap
    else { return .passes }
    switch input.capAction {
    case .hold: return .holds(until: input.startOfNextDay(after: date, instant))
    case .drop: return .drops
    }
  }
}

extension GateInput {
  /// Returns the number of counted deliveries on a local date.
  fileprivate func count(on date: LocalDate, before instant: Instant) -> Int {
    // In every zone, a date lasts for less than three days.
    let latest = countedDeliveries.reversed().prefix { $0 > instant - .days(3) }
    return latest.count { zone.date(at: $0) == date }
  }

  /// Returns the start of the next day. It is never earlier than the end of the date, which matters
  /// if a change of clocks skips a quiet window.
  func startOfNextDay(after date: LocalDate, _ instant: Instant) -> Instant {
    max(startOfDay(on: date + 1), zone.end(of: date, after: instant))
  }
}

extension Zone {
  /// Returns the first instant after `instant` with a local date later than `date`.
  func end(of date: LocalDate, after instant: Instant) -> Instant {
    let midnight = self.instant(of: date + 1, at: .midnight)
    if midnight > instant { return midnight }
    // If clocks are set back over midnight, the date has two midnights, and `instant` is between
    // them.
    let shift = offsetSeconds(at: midnight) - offsetSeconds(at: instant)
    return max(midnight + .seconds(shift), instant + .milliseconds(1))
  }
}
