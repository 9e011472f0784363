import CivilTime

/// An occurrence whose turn has come, with what its place in the queue depends on.
struct Candidate {
  var entry: Progress.UnderWay
  var reminder: Reminder
  var urgency: Urgency
  /// What an app has requested, if it is that.
  var request: RequestPlan?
  /// The event that it follows, looked up only where several are due.
  var cause: Stamp?

  /// What the gates look at, and what they say but for interval and cap.
  var input: GateInput
  var decision: Decision
  /// Whether it comes before its own time (rule V10).
  var isForward = false

  /// Whether a gate or a snooze has held it, or its e-mail is collected.
  var hasWaited: Bool {
    entry.holds.hasHolds || entry.isSnoozed || entry.channelGroup == .collected
  }
  /// Whether it may be part of a digest.
  var isReleased: Bool { hasWaited && input.isCounted && !isForward }

  /// At the cap, slots go by urgency, then age (rule V5).
  static func isBefore(_ left: Candidate, _ right: Candidate) -> Bool {
    if left.urgency != right.urgency { return left.urgency > right.urgency }
    if left.entry.planned != right.entry.planned {
      return left.entry.planned < right.entry.planned
    }
    // What no event has caused comes first; then the order of the events.
    if left.cause != right.cause {
      guard let one = left.cause else { return true }
      return right.cause.map { one < $0 } ?? false
    }
    if left.reminder !== right.reminder {
      return left.reminder.identifier < right.reminder.identifier
    }
    return left.entry.key < right.entry.key
  }
}

extension Recipient {
  /// Asks the gates about everything that is due, and lets go what they let through: each delivery
  /// counts for those behind it.
  ///
  /// - Parameters:
  ///   - planned: where what is planned is found.
  ///   - day: what is known to come of the day, once somebody had to know.
  /// - Returns: those whose turn it was.
  @discardableResult
  mutating func decideDue(
    now: Instant, in context: PlanningContext, planned: PlannedSource, _ day: inout DayAhead?,
    firings: inout [Firing], _ observer: GateObserver?
  ) -> [Candidate] {
    var due = takeDue(now: now, in: context)
    var turn = Turn(now: now, context: context, planned: planned, day: day, observer: observer)
    if due.count > 1 {
      for index in due.indices { due[index].cause = cause(of: due[index], in: context) }
      due.sort(by: Candidate.isBefore)
    }
    var open: [Candidate] = []
    for candidate in due {
      if let passed = sift(candidate, &turn) { open.append(passed) }
    }
    if open.count > 1 { dropTwins(&open, &turn) }
    dropRepeated(&open, &turn)
    for unit in units(of: open, in: context) {
      let count = turn.firings.count
      release(unit.members.map { open[$0] }, unit, &turn)
      keepMessages(of: turn.firings[count...], for: &open, &turn)
    }
    noteSaid(by: &turn)
    progress.enqueue(turn.held)
    firings += turn.firings
    day = turn.isDayChanged ? nil : turn.day
    return due
  }

  private func cause(of candidate: Candidate, in context: PlanningContext) -> Stamp? {
    if let request = candidate.request { return request.stamp }
    if case .calendar = candidate.reminder.trigger { return nil }
    return context.occurrence(of: candidate.reminder, key: candidate.entry.key)?.cause
  }

  /// What an occurrence has said on one way out, it says on the others (rule I6).
  private mutating func keepMessages(
    of firings: ArraySlice<Firing>, for candidates: inout [Candidate], _ turn: inout Turn
  ) {
    for firing in firings where firing.isPaired && firing.isSaid {
      guard let reminder = turn.context.catalog.reminder(firing.reminder),
        reminder.messages.count > 1
      else { continue }
      for index in candidates.indices { candidates[index].entry.keepMessage(of: firing) }
      for index in turn.held.indices { turn.held[index].keepMessage(of: firing) }
      progress.keepMessage(of: firing)
    }
  }

  /// Notes what has been said on another way out: if its own disappears, it needs no other.
  private mutating func noteSaid(by turn: inout Turn) {
    let said = turn.firings.filter { $0.isPaired && $0.isSaid }
    guard !said.isEmpty, !(turn.held.isEmpty && progress.underWay.isEmpty) else { return }
    let messages = Dictionary(
      said.map { (OccurrenceName(reminder: $0.reminder, key: $0.key), $0.message) }
    ) { first, _ in first }
    func note(_ entry: inout Progress.UnderWay) {
      let name = OccurrenceName(reminder: entry.reminder, key: entry.key)
      entry.message = entry.message ?? messages[name]
    }
    for index in turn.held.indices { note(&turn.held[index]) }
    Work.count(progress.underWay.count)
    for index in progress.underWay.indices { note(&progress.underWay[index]) }
  }

  /// What is decided at one instant.
  struct Turn {
    let now: Instant
    let context: PlanningContext
    let planned: PlannedSource
    var day: DayAhead?
    let observer: GateObserver?
    /// Whether nothing of it is recorded: then what waits is told of in any case.
    var isForeseen: Bool { planned.isForeseen }
    var firings: [Firing] = []
    var held: [Progress.UnderWay] = []

    /// Whether something waits for a slot of the same date now: `day` does not have it.
    var isDayChanged: Bool {
      guard let date = day?.date else { return false }
      return held.contains { $0.isWaiting && context.zone.date(at: $0.due) == date }
    }
  }

  /// Forgets the requests whose time came while a switch turned them off: no verdict is asked for.
  ///
  /// - Parameter start: until when that has been done; nil if facts have changed since.
  mutating func forgetSwitchedOff(since start: Instant? = nil, in context: PlanningContext) {
    Work.count(facts.requests.count)
    var late: [RequestPlan] = []
    facts.requests.forEachPlan { request in
      guard request.planned <= progress.cutoff else { return }
      if start.map({ request.planned > $0 }) ?? true { late.append(request) }
    }
    guard !late.isEmpty else { return }
    let off = late.filter { request in
      let reminder = context.catalog.requested.first { $0.requestedCategory == request.category }
      return reminder.flatMap { context.occurrence(request, of: $0) } == nil
    }
    facts.forget(requests: Set(off.map(\.key)))
  }

  /// Forgets the requests of which no way out is open any more. Only when all are decided: while
  /// one way out is, the others are in nobody's hands.
  mutating func forgetSettled(_ candidates: [Candidate]) {
    var reminders: [Int64: Symbol] = [:]
    for candidate in candidates where candidate.request != nil {
      reminders[candidate.entry.key] = candidate.entry.reminder
    }
    guard !reminders.isEmpty else { return }
    Work.count(progress.underWay.count)
    for entry in progress.underWay where reminders[entry.key] == entry.reminder {
      reminders[entry.key] = nil
    }
    facts.forget(requests: Set(reminders.keys))
  }

  private mutating func takeDue(now: Instant, in context: PlanningContext) -> [Candidate] {
    progress.takeDue(by: now).compactMap { entry in
      guard let reminder = context.catalog.reminder(entry.reminder) else { return nil }
      let input = context.gateInput(entry, of: reminder, recent: progress.recent)
      var candidate = Candidate(
        entry: entry, reminder: reminder, urgency: input.urgency, input: input,
        decision: Decision(outcome: .delivered, at: now, trace: GateTrace()))
      if case .request = reminder.trigger {
        candidate.request = context.facts.request(entry.key)
      }
      return candidate
    }
  }

  // MARK: - One by one

  /// Asks the gates but for interval and cap, which are asked only where all others are open (rule
  /// V5).
  ///
  /// - Returns: what they let through; nil for what is held or dropped.
  private mutating func sift(_ candidate: Candidate, _ turn: inout Turn) -> Candidate? {
    var candidate = candidate
    guard !turn.context.isSkipped(candidate.entry, of: candidate.reminder) else {
      var decision = Decision(outcome: .dropped, at: turn.now, trace: GateTrace())
      decision.trace.note(.missed, .drops)
      conclude(candidate, decision, isWaiting: false, &turn)
      return nil
    }
    guard !candidate.entry.isForward(at: turn.now) else { return forwarded(candidate, &turn) }
    turn.context.letStandStill(&candidate.entry, by: candidate.input, at: turn.now)
    candidate.input.stood = candidate.entry.stood
    candidate.decision = Gates.decide(candidate.input.alone, from: turn.now)
    let isOpen = candidate.decision.outcome == .delivered && candidate.decision.at == turn.now
    guard !isOpen else { return candidate }
    var decision = candidate.decision
    if candidate.entry.due < candidate.entry.planned { decision.trace.replaceExpiry() }
    conclude(candidate, decision, isWaiting: false, &turn)
    return nil
  }

  /// What comes before its own time names what would have held it there. If the gates have closed
  /// since, it waits for its next turn, or is `missed` if there is none.
  private mutating func forwarded(_ candidate: Candidate, _ turn: inout Turn) -> Candidate? {
    var candidate = candidate
    let due = turn.context.turn(
      of: candidate.entry, of: candidate.reminder, after: turn.now)
    guard due <= turn.now else {
      var decision = Gates.decide(candidate.input.alone, from: due)
      if due == candidate.entry.planned, decision.outcome == .dropped {
        decision.trace.replaceExpiry()
        conclude(candidate, decision, isWaiting: false, &turn)
        return nil
      }
      candidate.entry.due = due
      turn.held.append(candidate.entry)
      return nil
    }
    let trace = Gates.decide(candidate.input.alone, from: candidate.entry.planned).trace
    for gate in Gate.allCases where trace.hasHeld(gate) {
      candidate.decision.trace.note(gate, .holds(until: candidate.entry.planned))
    }
    candidate.isForward = true
    return candidate
  }

  /// Holds or drops what the gates do not let through.
  ///
  /// - Parameter isWaiting: whether it is only interval and cap that do not.
  mutating func conclude(
    _ candidate: Candidate, _ decision: Decision, isWaiting: Bool, _ turn: inout Turn
  ) {
    var firing = firing(candidate, &turn)
    firing.trace.add(decision.trace)
    guard decision.outcome == .dropped else {
      firing.result = .held(until: decision.at)
      return hold(candidate, firing, until: decision.at, isWaiting: isWaiting, &turn)
    }
    firing.result = .settled(.dropped)
    settle(firing, of: candidate, in: turn.context)
    turn.observer?(candidate.input, firing)
    turn.firings.append(firing)
  }

  /// Leaves it under way. What has waited for a slot before, and still does, is no news.
  func hold(
    _ candidate: Candidate, _ firing: Firing, until due: Instant, isWaiting: Bool,
    _ turn: inout Turn
  ) {
    var entry = candidate.entry
    let isNews = !entry.isWaiting || !isWaiting || entry.holds != firing.trace
    // Later than now in any case: what is due is asked until nothing is.
    (entry.due, entry.holds) = (max(due, turn.now + .milliseconds(1)), firing.trace)
    (entry.isWaiting, entry.isMoved) = (isWaiting, false)
    if isWaiting, candidate.input.isAtCap(at: turn.now) {
      entry.cappedOn = turn.context.zone.date(at: turn.now)
    }
    turn.held.append(entry)
    turn.observer?(candidate.input, firing)
    if isNews || turn.isForeseen { turn.firings.append(firing) }
  }
}

extension GateInput {
  /// Whether the cap of the date holds it, and not only that of an earlier one.
  fileprivate func isAtCap(at instant: Instant) -> Bool {
    guard capRelease(at: instant) == nil else { return false }
    return Gates.finding(.dailyCap, self, at: instant) != .passes
  }
}
