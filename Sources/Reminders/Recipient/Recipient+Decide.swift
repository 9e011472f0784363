import CivilTime

/// A due occurrence with the values that determine its order.
struct Candidate {
  var entry: Progress.InProgress
  var reminder: Reminder
  var urgency: Urgency
  /// The plan of the request; nil unless the reminder sends requested notifications.
  var request: RequestPlan?
  /// The stamp (time and order of arrival) of the event that caused the occurrence. It is looked up
  /// only if several occurrences are due.
  var cause: Stamp?

  /// The input of the gates, and their decision without minimum interval and cap.
  var input: GateInput
  var decision: Decision
  /// Whether the occurrence is sent before its planned instant (rule V15).
  var isEarly = false

  /// Whether the occurrence has waited: for a gate, for the end of a snooze, or as e-mail that is
  /// collected for once a day or a week.
  var hasWaited: Bool {
    entry.holds.hasHolds || entry.isSnoozed || entry.channelGroup == .collected
  }
  /// Whether the occurrence may be part of a digest.
  var mayJoinDigest: Bool { hasWaited && input.isCounted && !isEarly }

  /// Returns whether an occurrence is decided before another: the more urgent first, then the older
  /// (rule V5).
  static func isBefore(_ left: Candidate, _ right: Candidate) -> Bool {
    if left.urgency != right.urgency { return left.urgency > right.urgency }
    if left.entry.planned != right.entry.planned {
      return left.entry.planned < right.entry.planned
    }
    // Occurrences without an event come first. The others follow the order of their events.
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
  /// Evaluates the gates of all due occurrences and sends the occurrences that pass. Each delivery
  /// counts towards the cap and the interval of the following deliveries.
  ///
  /// - Parameters:
  ///   - planned: the source of the occurrences for which capacity may be reserved.
  ///   - day: the known later occurrences of the local date; nil until they are needed.
  /// - Returns: the number of decided occurrences, and the names of the requested notifications
  ///   among them.
  mutating func decideDue(
    now: Instant, in context: PlanningContext, planned: PlannedSource, _ day: inout DayAhead?,
    firings: inout [Firing], _ observer: GateObserver?
  ) -> (count: Int, requests: [OccurrenceName]) {
    var due = takeDue(now: now, in: context)
    var decisions = Decisions(
      now: now, context: context, planned: planned, day: day, observer: observer)
    if due.count > 1 {
      for index in due.indices { due[index].cause = cause(of: due[index], in: context) }
      due.sort(by: Candidate.isBefore)
    }
    let relays = context.catalog.hasRelays ? due.filter { $0.reminder.relay != nil } : []
    var passed: [Candidate] = []
    for candidate in due where relays.isEmpty || candidate.reminder.relay == nil {
      if let passing = evaluateGates(of: candidate, &decisions) { passed.append(passing) }
    }
    if passed.count > 1 { dropSuperseded(&passed, &decisions) }
    dropRepeated(&passed, &decisions)
    waitForDayStart(&passed, &decisions)
    releaseAll(consume passed, &decisions)
    if context.catalog.hasRelays {
      decideRelays(relays, &decisions)
      delayRelays(&decisions)
    }
    recordSent(by: &decisions)
    progress.enqueue(decisions.held)
    firings += decisions.firings
    day = decisions.isDayChanged ? nil : decisions.day
    var requests: [OccurrenceName] = []
    for index in due.indices where due[index].request != nil {
      requests.append(OccurrenceName(due[index].entry))
    }
    return (due.count, requests)
  }

  private func cause(of candidate: Candidate, in context: PlanningContext) -> Stamp? {
    if let request = candidate.request { return request.stamp }
    if candidate.reminder.isRepeating { return nil }
    return context.occurrence(of: candidate.reminder, key: candidate.entry.key)?.cause
  }

  /// Gives an occurrence the same message in all its channel groups (rule I6).
  mutating func shareMessages(
    of firings: ArraySlice<Firing>, for candidates: inout [Candidate], _ decisions: inout Decisions
  ) {
    for firing in firings where firing.hasOtherGroups && firing.isSent {
      guard let reminder = decisions.context.catalog.reminder(firing.reminder),
        reminder.messages.count > 1
      else { continue }
      for index in candidates.indices where candidates[index].entry.isSameOccurrence(as: firing) {
        candidates[index].entry.message = firing.message
      }
      for index in decisions.held.indices where decisions.held[index].isSameOccurrence(as: firing) {
        decisions.held[index].message = firing.message
      }
      progress.shareMessage(of: firing)
    }
  }

  /// Notes in each unfinished entry the message that was sent in another channel group. So the
  /// occurrence counts as sent even if the channels of its entry disappear.
  private mutating func recordSent(by decisions: inout Decisions) {
    let sent = decisions.firings.filter { $0.hasOtherGroups && $0.isSent }
    guard !sent.isEmpty, !(decisions.held.isEmpty && progress.inProgress.isEmpty) else { return }
    let messages = Dictionary(
      sent.map { (OccurrenceName(reminder: $0.reminder, key: $0.key), $0.message) }
    ) { first, _ in first }
    func note(_ entry: inout Progress.InProgress) {
      let name = OccurrenceName(reminder: entry.reminder, key: entry.key)
      entry.message = entry.message ?? messages[name]
    }
    for index in decisions.held.indices { note(&decisions.held[index]) }
    Work.count(progress.inProgress.count)
    for index in progress.inProgress.indices { note(&progress.inProgress[index]) }
  }

  /// The decisions of one instant: their inputs, their results so far (firings), and the entries
  /// that gates hold.
  struct Decisions {
    /// The instant of the decisions.
    let now: Instant
    let context: PlanningContext
    /// The source of the planned occurrences that may get reservations.
    let planned: PlannedSource
    /// The known later occurrences of the local date; nil until they are needed.
    var day: DayAhead?
    let observer: GateObserver?
    /// Whether this is a simulation, which returns every evaluation of a waiting occurrence.
    var isSimulation: Bool { planned.isSimulation }
    var firings: [Firing] = []
    /// The entries that stay in progress. They are added to `Recipient.progress` after all
    /// decisions of the instant.
    var held: [Progress.InProgress] = []

    /// Whether `day` is outdated because another occurrence now waits on its date.
    var isDayChanged: Bool {
      guard let date = day?.date else { return false }
      return held.contains { $0.isWaiting && context.zone.date(at: $0.due) == date }
    }
  }

  /// Removes the requests that were switched off when they were due. Such requests get no verdict.
  ///
  /// - Parameter start: the instant up to which such requests have been removed; nil if the facts
  ///   have changed since then.
  mutating func forgetSwitchedOff(since start: Instant? = nil, in context: PlanningContext) {
    Work.count(facts.requests.count)
    var overdue: [RequestPlan] = []
    facts.requests.forEachPlan { request in
      guard request.planned <= progress.cutoff else { return }
      if start.map({ request.planned > $0 }) ?? true { overdue.append(request) }
    }
    guard !overdue.isEmpty else { return }
    let switchedOff = overdue.filter { request in
      let reminder = context.catalog.requestReminders.first {
        $0.requestedCategory == request.category
      }
      return reminder.flatMap { context.occurrence(request, of: $0) } == nil
    }
    facts.forget(requests: Set(switchedOff.map(\.key)))
  }

  /// Removes the requests that are finished in all channel groups. Call it after all requests are
  /// decided, because entries that are being decided are not in `progress.inProgress`.
  ///
  /// - Parameter requests: the requests that were decided.
  mutating func forgetFinished(_ requests: [OccurrenceName]) {
    guard !requests.isEmpty else { return }
    var reminders: [Int64: Symbol] = [:]
    for request in requests { reminders[request.key] = request.reminder }
    Work.count(progress.inProgress.count)
    for entry in progress.inProgress where reminders[entry.key] == entry.reminder {
      reminders[entry.key] = nil
    }
    facts.forget(requests: Set(reminders.keys))
  }

  /// Returns the input of the gates for an entry, with the recipient's recent deliveries.
  func gateInput(
    _ entry: Progress.InProgress, of reminder: Reminder, in context: PlanningContext
  ) -> GateInput {
    var input = context.gateInput(entry, of: reminder, countedDeliveries: [])
    progress.setCountedDeliveries(of: &input)
    return input
  }

  private mutating func takeDue(now: Instant, in context: PlanningContext) -> [Candidate] {
    progress.takeDue(by: now).compactMap { entry in
      guard let reminder = context.catalog.reminder(entry.reminder) else { return nil }
      let input = gateInput(entry, of: reminder, in: context)
      var candidate = Candidate(
        entry: entry, reminder: reminder, urgency: input.urgency, input: input,
        decision: Decision(outcome: .delivered, at: now, trace: GateTrace()))
      if case .request = reminder.trigger {
        candidate.request = context.facts.request(entry.key)
      }
      return candidate
    }
  }

  // MARK: - Occurrences one by one

  /// Evaluates the gates except minimum interval and cap. These are evaluated later, and only if
  /// all other gates pass (rule V5).
  ///
  /// - Returns: the candidate if it passes; nil if it is held or dropped.
  mutating func evaluateGates(
    of candidate: consuming Candidate, _ decisions: inout Decisions
  ) -> Candidate? {
    guard !decisions.context.isSkipped(candidate.entry, of: candidate.reminder) else {
      var decision = Decision(outcome: .dropped, at: decisions.now, trace: GateTrace())
      decision.trace.note(.missed, .drops)
      holdOrDrop(candidate, decision, isWaiting: false, &decisions)
      return nil
    }
    guard !candidate.entry.isEarly(at: decisions.now) else {
      return decideEarly(candidate, &decisions)
    }
    decisions.context.pauseExpiry(&candidate.entry, by: candidate.input, at: decisions.now)
    candidate.input.setExpiryPause(of: candidate.entry)
    candidate.decision = Gates.decide(candidate.input, from: decisions.now, ignoringLimits: true)
    let passesNow =
      candidate.decision.outcome == .delivered && candidate.decision.at == decisions.now
    guard !passesNow else { return candidate }
    var decision = candidate.decision
    if candidate.entry.due < candidate.entry.planned { decision.trace.replaceExpiry() }
    holdOrDrop(candidate, decision, isWaiting: false, &decisions)
    return nil
  }

  /// Decides an occurrence that is fired early, and records the gates that would hold it at its
  /// planned instant. If the gates have closed meanwhile, the occurrence waits until it is due
  /// again. If the gates would drop it then, at its planned instant, it is dropped now. An expiry
  /// counts as `missed`.
  private mutating func decideEarly(
    _ candidate: Candidate, _ decisions: inout Decisions
  ) -> Candidate? {
    var candidate = candidate
    let due = decisions.context.dueInstant(
      of: candidate.entry, of: candidate.reminder, after: decisions.now)
    guard due <= decisions.now else {
      var decision = Gates.decide(candidate.input, from: due, ignoringLimits: true)
      if due == candidate.entry.planned, decision.outcome == .dropped {
        decision.trace.replaceExpiry()
        holdOrDrop(candidate, decision, isWaiting: false, &decisions)
        return nil
      }
      candidate.entry.due = due
      decisions.held.append(candidate.entry)
      return nil
    }
    let trace = Gates.decide(
      candidate.input, from: candidate.entry.planned, ignoringLimits: true
    ).trace
    for gate in Gate.allCases where trace.hasHeld(gate) {
      candidate.decision.trace.note(gate, .holds(until: candidate.entry.planned))
    }
    candidate.isEarly = true
    return candidate
  }

  /// Holds or drops an occurrence that does not pass the gates.
  ///
  /// - Parameter isWaiting: whether only minimum interval or cap stops the occurrence.
  mutating func holdOrDrop(
    _ candidate: Candidate, _ decision: Decision, isWaiting: Bool, _ decisions: inout Decisions
  ) {
    var firing = firing(candidate, &decisions)
    firing.trace.add(decision.trace)
    guard decision.outcome == .dropped else {
      firing.result = .held(until: decision.at)
      return hold(candidate, firing, until: decision.at, isWaiting: isWaiting, &decisions)
    }
    firing.result = .finished(.dropped)
    recordFinished(firing, of: candidate, in: decisions.context)
    decisions.observer?(candidate.input, firing)
    decisions.firings.append(firing)
  }

  /// Keeps an occurrence in progress. If it continues to wait for minimum interval or cap, with the
  /// same findings, only a simulation returns another firing.
  func hold(
    _ candidate: Candidate, _ firing: Firing, until due: Instant, isWaiting: Bool,
    _ decisions: inout Decisions
  ) {
    var entry = candidate.entry
    let isChanged = !entry.isWaiting || !isWaiting || entry.holds != firing.trace
    // The entry is always due after `now`, because firing repeats until nothing is due.
    (entry.due, entry.holds) = (max(due, decisions.now + .milliseconds(1)), firing.trace)
    (entry.isWaiting, entry.wasHeldInFormerZone) = (isWaiting, false)
    if isWaiting, candidate.input.isAtCap(at: decisions.now) {
      entry.cappedOn = decisions.context.zone.date(at: decisions.now)
    }
    decisions.held.append(entry)
    decisions.observer?(candidate.input, firing)
    if isChanged || decisions.isSimulation { decisions.firings.append(firing) }
  }
}

extension GateInput {
  /// Returns whether the cap of the current date holds the occurrence, and not only the cap of an
  /// earlier date. A minimum interval is no cap.
  fileprivate func isAtCap(at instant: Instant) -> Bool {
    guard capRelease(at: instant) == nil else { return false }
    return Gates.finding(.dailyCap, self, at: instant) != .passes || isAtPolicyCap(at: instant)
  }
}
