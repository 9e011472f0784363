package import CivilTime

extension Recipient {
  /// Takes in an event and plans anew (rule T5). What is due up to `now` must have been fired.
  ///
  /// - Parameters:
  ///   - order: the event's place in the order of arrival.
  ///   - now: the instant of arrival; in a simulation the event's own time.
  ///   - withdrawn: see `Facts.fold`.
  package mutating func apply(
    _ event: Event, order: Int64, now: Instant, planner: Planner, withdrawn: Int64? = nil
  ) {
    apply([Arrival(event, order: order, withdrawn: withdrawn)], now: now, planner: planner)
  }

  /// Takes in all that one request brings, and only then plans anew: what a later fact of it makes
  /// obsolete is never said, in whatever order they stand (rule E6).
  package mutating func apply(_ arrivals: [Arrival], now: Instant, planner: Planner) {
    let targets = arrivals.map { $0.target ?? target(of: $0.event, planner: planner) }
    let events = arrivals.map(\.event)
    let open = events.contains(where: isPlanMoved) ? openOccurrences(planner) : []
    let past = events.contains(where: isOfThing) ? pastItems(planner) : []
    let smart = smartOccurrences(movableBy: events, now: now, planner)
    let milestones = reportedMilestones(startedBy: events, planner)
    let zone = facts.zoneName
    fold(arrivals, planner)
    place(milestones, planner)
    for (event, target) in zip(events, targets) {
      carryOut(event, on: target, now: now, planner: planner)
    }
    let isNew = Self.isCaused(by: arrivals)
    let causes = open.isEmpty ? SymbolSketch(events.lazy.map(\.symbol)) : nil
    let scope = Self.held(reopenedBy: events, isZoneNew: facts.zoneName != zone)
    replan(after: causes, asking: scope, now: now, planner: planner) { reminder, occurrence in
      let name = OccurrenceName(reminder: reminder.symbol, key: occurrence.key)
      return isNew(occurrence) && !past.contains(name)
        || open.contains(OpenOccurrence(occurrence, of: reminder))
    }
    keep(smart, now: now, planner)
    if events.contains(where: \.isReport) {
      forgetFinished(in: PlanningContext(facts: facts, planner: planner))
    }
  }

  private mutating func fold(_ arrivals: [Arrival], _ planner: Planner) {
    for arrival in arrivals {
      facts.fold(
        arrival.event, order: arrival.order,
        memory: planner.catalog.event(arrival.event.type)?.memory, withdrawn: arrival.withdrawn)
    }
  }

  private static func isCaused(by arrivals: [Arrival]) -> (Occurrence) -> Bool {
    guard arrivals.count > 1 else {
      let stamp = arrivals.first?.stamp
      return { $0.cause != nil && $0.cause == stamp }
    }
    let stamps = Set(arrivals.map(\.stamp))
    return { $0.cause.map(stamps.contains) ?? false }
  }

  /// Plans anew after the catalog or the zones changed (rules T1, T5).
  ///
  /// - Parameter before: what planned until now.
  package mutating func replan(from before: Planner, to planner: Planner, now: Instant) {
    let open = openOccurrences(before)
    let scope = HeldScope.differences(from: PlanningContext(facts: facts, planner: before))
    replan(after: nil, asking: scope, now: now, planner: planner) { reminder, occurrence in
      open.contains(OpenOccurrence(occurrence, of: reminder))
    }
  }

  private func isPlanMoved(by event: Event) -> Bool {
    switch event.content {
    case .profile, .preferences, .device, .cancellation: true
    case .happening, .report, .request, .requestCancellation, .resumption, .snooze, .opening,
      .erasure:
      false
    }
  }

  /// The one-time occurrences that wait for their planned instant: if a change moves that into the
  /// past, they are late, not lost.
  private func openOccurrences(_ planner: Planner) -> Set<OpenOccurrence> {
    let context = PlanningContext(facts: facts, planner: planner)
    var open: Set<OpenOccurrence> = []
    context.forEachPlanned { reminder in
      guard !reminder.isRepeating else { return }
      context.forEachNext(reminder, after: progress.cutoff, progress: progress) {
        open.insert(OpenOccurrence($0, of: reminder))
      }
    }
    return open
  }

  private func isOfThing(_ event: Event) -> Bool {
    if case .report(let report) = event.content { report.identifier != nil } else { false }
  }

  /// What has had its turn of the things that are known: to be told of it again is no reason to
  /// speak of it again.
  private func pastItems(_ planner: Planner) -> Set<OccurrenceName> {
    let context = PlanningContext(facts: facts, planner: planner)
    var past: Set<OccurrenceName> = []
    for reminder in context.catalog.reminders where reminder.isPlural {
      for occurrence in context.occurrences(reminder) where occurrence.planned <= progress.cutoff {
        past.insert(OccurrenceName(reminder: reminder.symbol, key: occurrence.key))
      }
    }
    return past
  }

  /// Brings what is under way in line with the facts.
  ///
  /// - Parameters:
  ///   - causes: what alone may have brought something that is late; nil if a change may have.
  ///   - scope: of what is held the gates may say something else.
  ///   - isLate: of an occurrence planned in the past, whether it was not there to be fired then:
  ///     its event has only arrived now, or a change has moved it.
  private mutating func replan(
    after causes: SymbolSketch?, asking scope: HeldScope, now: Instant, planner: Planner,
    isLate: (Reminder, Occurrence) -> Bool
  ) {
    let context = PlanningContext(facts: facts, planner: planner)
    progress.cutoff = max(progress.cutoff, now)
    progress.underWay.removeAll { entry in
      guard let reminder = planner.catalog.reminder(entry.reminder) else { return true }
      return !context.isOpen(entry, of: reminder)
    }
    reconsider(scope, now: now, in: context)
    context.forEachPlanned(following: causes) { reminder in
      guard !reminder.isRepeating else { return }
      let late = context.occurrences(reminder).filter { isLate(reminder, $0) }
      startLate(late, of: reminder, now: now, in: context)
    }
    forgetSwitchedOff(in: context)
  }

  /// Of which holds the gates are asked anew after something has happened.
  private enum HeldScope {
    /// A change of zone moves no hold's end (rule V11).
    case nothing
    /// A changed preference may open any gate, and what is reported may take or leave a slot (rules
    /// V5, V7).
    case everything
    /// What another catalog or tz database holds to another instant. The zone of then may not be
    /// that of now, so that what they hold alike keeps its end (rule V11).
    case differences(from: PlanningContext)
  }

  private static func held(reopenedBy events: [Event], isZoneNew: Bool) -> HeldScope {
    !isZoneNew || events.contains(where: \.mayOpenGates) ? .everything : .nothing
  }

  /// Applies the gates anew to what they hold.
  private mutating func reconsider(_ scope: HeldScope, now: Instant, in context: PlanningContext) {
    Work.count(progress.underWay.count)
    var days = DaysAhead(waiting: progress.underWay.count)
    for index in progress.underWay.indices {
      var entry = progress.underWay[index]
      guard let reminder = context.catalog.reminder(entry.reminder) else { continue }
      // Snoozed, or planned by a clock that has stepped back since.
      if entry.planned > now {
        entry.due = context.turn(of: entry, of: reminder, after: now)
      } else if entry.waitsSince != nil {
        if case .nothing = scope { continue }
        entry.due = now
      } else if isAsked(entry, of: reminder, scope, now: now, in: context) {
        ask(&entry, of: reminder, now: now, &days, in: context)
      }
      progress.underWay[index] = entry
    }
    progress.sortByDue()
  }

  private func isAsked(
    _ entry: Progress.UnderWay, of reminder: Reminder, _ scope: HeldScope, now: Instant,
    in context: PlanningContext
  ) -> Bool {
    // What has come this instant is asked as it fires, and what holds it is noted then.
    guard entry.holds.hasHolds || entry.due > now else { return false }
    switch scope {
    case .nothing: return false
    case .everything: return true
    case .differences(let before):
      guard let former = before.catalog.reminder(entry.reminder) else { return true }
      return end(of: entry, of: former, now: now, in: before)
        != end(of: entry, of: reminder, now: now, in: context)
    }
  }

  /// When the gates but for interval and cap would let it go; nil for never.
  private func end(
    of entry: Progress.UnderWay, of reminder: Reminder, now: Instant, in context: PlanningContext
  ) -> Instant? {
    let input = context.gateInput(entry, of: reminder, recent: progress.recent)
    let decision = Gates.decide(input.alone, from: now)
    return decision.outcome == .delivered ? decision.at : nil
  }

  private func ask(
    _ entry: inout Progress.UnderWay, of reminder: Reminder, now: Instant, _ days: inout DaysAhead,
    in context: PlanningContext
  ) {
    var input = context.gateInput(entry, of: reminder, recent: progress.recent)
    let start = min(now, entry.due)
    entry.standStill(from: start, until: input.release(heldAt: start))
    input.stood = entry.stood
    let decision = Gates.decide(input.alone, from: now)
    // What waits for a slot, or is hopeless for want of one, is decided as it fires.
    let fate = fate(of: input, from: now, &days, in: context)
    entry.due = fate.outcome == .dropped ? now : decision.at
    if decision.trace.hasHeld(.vacation) { entry.holds.note(.vacation, .holds(until: now)) }
  }

  /// Puts occurrences whose planned instant is past under way, unless it is hopeless: what an app
  /// imports of long ago is no reminder.
  private mutating func startLate(
    _ late: [Occurrence], of reminder: Reminder, now: Instant, in context: PlanningContext
  ) {
    guard !late.isEmpty else { return }
    if reminder.batch != nil { forgetBatches(in: context) }
    var done = context.done(of: reminder, progress)
    var entries: [Progress.UnderWay] = []
    for occurrence in context.inTurn(late, of: reminder) {
      guard occurrence.planned <= progress.cutoff,
        occurrence.planned + context.expires(reminder, key: occurrence.key) >= now,
        !done.contains(occurrence.key)
      else { continue }
      done.insert(occurrence.key)
      entries += ways(
        of: occurrence, of: reminder, due: max(occurrence.planned, now), in: context)
    }
    progress.enqueue(entries)
  }
}

/// A one-time occurrence that waits for its planned instant. A milestone that is foreseen and one
/// that was reported have one name (rule I4); what has caused them tells them apart.
private struct OpenOccurrence: Hashable {
  let name: OccurrenceName
  let cause: Stamp?

  init(_ occurrence: Occurrence, of reminder: Reminder) {
    name = OccurrenceName(reminder: reminder.symbol, key: occurrence.key)
    cause = occurrence.cause
  }
}

extension Event {
  fileprivate var isReport: Bool { if case .report = content { true } else { false } }

  /// Whether the gates may say something else after it of what they hold, though the zone has
  /// changed with it.
  fileprivate var mayOpenGates: Bool {
    switch content {
    case .preferences, .device, .happening(_, isInteractive: true): true
    default: false
    }
  }
}
