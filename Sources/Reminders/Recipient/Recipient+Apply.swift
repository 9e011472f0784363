package import CivilTime

extension Recipient {
  /// Applies an event to the facts and replans (rule T5). All occurrences due up to `now` must have
  /// been fired.
  ///
  /// - Parameters:
  ///   - order: the event's order of arrival.
  ///   - now: the instant of arrival; in a simulation, the time of the event. An event that is at
  ///     most a minute old takes effect at its time. So the speed of the service has no influence
  ///     (rule T8).
  ///   - withdrawn: the order of arrival of the request that the event cancels, if it is known.
  package mutating func apply(
    _ event: Event, order: Int64, now: Instant, planner: Planner, withdrawn: Int64? = nil
  ) {
    apply([Arrival(event, order: order, withdrawn: withdrawn)], now: now, planner: planner)
  }

  /// Applies all events of one request to the facts, then replans (rule E6). So the order of the
  /// events does not matter: if one event makes an occurrence obsolete, that occurrence is never
  /// sent.
  package mutating func apply(_ arrivals: [Arrival], now: Instant, planner: Planner) {
    let now = Self.effectInstant(of: arrivals, handledAt: now)
    for arrival in arrivals { revive(arrival.request) }
    let targets = targets(of: arrivals, planner)
    let events = arrivals.map(\.event)
    let open = events.contains(where: mayMovePlan) ? openOccurrences(planner) : []
    let past = events.contains(where: \.isOfEntity) ? pastEntityOccurrences(planner) : []
    let cancelledDates = cancelledDates(before: events, planner)
    let smart = smartOccurrences(movableBy: events, now: now, planner)
    let milestones = reportedMilestones(startedBy: events, planner)
    let former = mayKeepHoldEnds(after: events) ? facts : nil
    recordVacations(before: events, now: now, planner)
    let plansAhead = plansAhead(among: arrivals, now: now, planner)
    fold(arrivals, planner)
    reopen(cancelledDates, planner)
    if let former { recordMove(from: former, now: now, planner) }
    reassign(milestones, planner)
    carryOut(arrivals, on: targets, now: now, planner: planner)
    let isNew = Self.isCaused(by: arrivals)
    let causes = open.isEmpty ? SymbolSketch(events.lazy.map(\.symbol)) : nil
    let formerContext = former.map {
      PlanningContext(facts: $0.inZone(of: facts), planner: planner)
    }
    replan(
      after: causes, evaluating: .everything(formerContext), now: now, planner: planner, open: open
    ) { reminder, occurrence in
      let name = OccurrenceName(reminder: reminder.symbol, key: occurrence.key)
      return isNew(occurrence) && !past.contains(name)
    }
    startLateDoses(after: arrivals, now: now, planner)
    startDoses(until: plansAhead, now: now, planner)
    startRounds(after: arrivals, now: now, planner)
    keepInstants(of: smart, now: now, planner)
    if events.contains(where: \.isReport) {
      forgetFinished(in: PlanningContext(facts: facts, planner: planner))
    }
  }

  /// Pauses the expiry of occurrences that are held by announced vacations. No event reports the
  /// beginning of a vacation, so the pause is recorded before an event moves or ends the vacation.
  private mutating func recordVacations(before events: [Event], now: Instant, _ planner: Planner) {
    guard !facts.vacations.isEmpty, events.contains(where: \.changesVacation) else { return }
    let context = PlanningContext(facts: facts, planner: planner)
    for index in progress.inProgress.indices where progress.inProgress[index].planned <= now {
      guard let reminder = context.catalog.reminder(progress.inProgress[index].reminder) else {
        continue
      }
      let input = context.gateInput(progress.inProgress[index], of: reminder, countedDeliveries: [])
      context.pauseExpiry(&progress.inProgress[index], by: input, at: now)
    }
  }

  /// Returns for each arrival the occurrences that it affects; empty if no arrival is a command.
  private func targets(of arrivals: [Arrival], _ planner: Planner) -> [[CommandTarget]] {
    guard arrivals.contains(where: \.event.isCommand) else { return [] }
    var finder = TargetFinder(self, planner)
    return arrivals.map { $0.targets ?? finder.targets(of: $0.event) }
  }

  /// Returns the instant at which events take effect (rule T8).
  static func effectInstant(of arrivals: [Arrival], handledAt now: Instant) -> Instant {
    guard let latest = arrivals.map(\.event.time).max(), latest <= now,
      now - latest <= countedDelayMax
    else { return now }
    return latest
  }

  /// Returns whether a hold of an occurrence may keep its end although the zone changes (rule V11).
  /// That is so if the zone has changed during a hold, or if one of these events may change it.
  private func mayKeepHoldEnds(after events: [Event]) -> Bool {
    let isOfProfile = { (event: Event) in if case .profile = event.content { true } else { false } }
    return events.contains(where: isOfProfile)
      || progress.inProgress.contains(where: \.wasHeldInFormerZone)
  }

  /// If the recipient's zone changes, marks the occurrences that gates hold, so that the holds keep
  /// their ends (rule V11).
  private mutating func recordMove(from former: Facts, now: Instant, _ planner: Planner) {
    guard former.zoneName != facts.zoneName,
      planner.zone(of: former) != planner.zone(of: facts)
    else { return }
    for index in progress.inProgress.indices {
      let entry = progress.inProgress[index]
      if entry.due > now, entry.holds.hasHolds {
        progress.inProgress[index].wasHeldInFormerZone = true
      }
    }
  }

  /// Applies events to the facts alone, without planning.
  mutating func fold(_ arrivals: [Arrival], _ planner: Planner) {
    for arrival in arrivals {
      facts.fold(
        arrival.event, order: arrival.order,
        memory: planner.catalog.memory(of: arrival.event.symbol), withdrawn: arrival.withdrawn,
        series: seriesExtent(of: arrival.event, planner))
    }
  }

  /// Returns a function that returns whether one of the arrivals has caused an occurrence.
  private static func isCaused(by arrivals: [Arrival]) -> (Occurrence) -> Bool {
    guard arrivals.count > 1 else {
      let stamp = arrivals.first?.stamp
      return { $0.cause != nil && $0.cause == stamp }
    }
    let stamps = Set(arrivals.map(\.stamp))
    return { $0.cause.map(stamps.contains) ?? false }
  }

  /// Replans after a change of the catalog or the zones (rules T1, T5).
  ///
  /// - Parameter previous: the previous planner.
  /// - Returns: the held occurrences that end because their reminder is removed or no longer plans
  ///   them (rule T10).
  @discardableResult
  package mutating func replan(
    from previous: Planner, to planner: Planner, now: Instant
  ) -> [Firing] {
    rename(by: planner.catalog.renaming)
    let held = progress.inProgress
    let open = openOccurrences(previous)
    let former = PlanningContext(facts: facts, planner: previous)
    replan(
      after: nil, evaluating: .differences(from: former), now: now, planner: planner, open: open)
    startMoved(from: previous, now: now, planner)
    return withdrawals(of: held, from: previous, to: planner, at: now)
  }

  /// Returns a firing (a recorded result) for each occurrence that was held by a gate and no longer
  /// is. Its texts come from the previous catalog, or from the current catalog if the previous one
  /// lacks the reminder.
  private func withdrawals(
    of held: [Progress.InProgress], from previous: Planner, to planner: Planner, at now: Instant
  ) -> [Firing] {
    let active = Set(progress.inProgress.map { OccurrenceInGroup($0) })
    let ended = held.filter { !active.contains(OccurrenceInGroup($0)) }
    guard !ended.isEmpty else { return [] }
    let contexts = [previous, planner].map { PlanningContext(facts: facts, planner: $0) }
    return ended.compactMap { entry in
      contexts.lazy.compactMap { context in
        context.catalog.reminder(entry.reminder).map {
          dropped(entry, of: $0, by: .withdrawn, at: now, in: context)
        }
      }.first
    }
  }

  /// Returns whether an event may change whether or when occurrences of other events are planned.
  private func mayMovePlan(_ event: Event) -> Bool {
    switch event.content {
    case .profile, .preferences, .device, .cancellation, .relation: true
    case .deliveryReport(let report): report.suppression != nil
    case .happening, .report, .request, .requestCancellation, .resumption, .snooze, .opening,
      .erasure:
      false
    }
  }

  /// Returns the one-time occurrences that are in the future. If a change moves such an occurrence
  /// into the past, the occurrence is overdue and not lost (rule T5).
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

  /// Returns the past occurrences of the remembered entities and requests. Such an occurrence is
  /// not sent again if its entity is reported again.
  private func pastEntityOccurrences(_ planner: Planner) -> Set<OccurrenceName> {
    let context = PlanningContext(facts: facts, planner: planner)
    var past: Set<OccurrenceName> = []
    for reminder in context.catalog.reminders where reminder.allowsSeveralPending {
      for occurrence in context.occurrences(reminder) where occurrence.planned <= progress.cutoff {
        past.insert(OccurrenceName(reminder: reminder.symbol, key: occurrence.key))
      }
    }
    return past
  }

  /// Updates the due and held occurrences according to the facts.
  ///
  /// - Parameters:
  ///   - causes: the types of the events that may have added overdue occurrences; nil for all
  ///     types.
  ///   - scope: the held occurrences for which gates are evaluated again.
  ///   - open: the one-time occurrences that were in the future before a change. The occurrences
  ///     that the change has moved into the past are overdue.
  ///   - isNew: whether an occurrence planned in the past could not be fired at its instant,
  ///     because its event has only now arrived.
  private mutating func replan(
    after causes: SymbolSketch?, evaluating scope: HeldScope, now: Instant, planner: Planner,
    open: Set<OpenOccurrence>, isNew: (Reminder, Occurrence) -> Bool = { _, _ in false }
  ) {
    let context = PlanningContext(facts: facts, planner: planner)
    progress.cutoff = max(progress.cutoff, now)
    progress.inProgress.removeAll { entry in
      guard let reminder = planner.catalog.reminder(entry.reminder) else { return true }
      return !context.isOpen(entry, of: reminder)
    }
    leaveUnreachableGroups(in: context)
    evaluateHeld(scope, now: now, in: context)
    context.forEachPlanned(following: causes) { reminder in
      guard !reminder.isRepeating else { return }
      var late = context.occurrences(reminder).filter { isNew(reminder, $0) }
      if !open.isEmpty {
        // A new zone may have moved a lead (reminder ahead of an instant) before the report of its
        // entity.
        late += context.occurrences(reminder, includingPassedLeads: true).filter {
          open.contains(OpenOccurrence($0, of: reminder))
        }
      }
      startLate(late, of: reminder, now: now, in: context)
    }
    forgetSwitchedOff(in: context)
  }

  /// Removes occurrences from channel groups that no longer reach the recipient. Such an occurrence
  /// continues in its other groups, so that it has one outcome (rule V1). Without another group, it
  /// moves to the first group that now reaches the recipient.
  private mutating func leaveUnreachableGroups(in context: PlanningContext) {
    let hasLeftGroup = progress.inProgress.map { entry in
      context.catalog.reminder(entry.reminder).map { context.hasLeftGroup(entry, of: $0) } ?? false
    }
    guard hasLeftGroup.contains(true) else { return }
    var waiting: Set<OccurrenceName> = []
    for (entry, hasLeftGroup) in zip(progress.inProgress, hasLeftGroup) where !hasLeftGroup {
      waiting.insert(OccurrenceName(reminder: entry.reminder, key: entry.key))
    }
    var entries: [Progress.InProgress] = []
    for (var entry, hasLeftGroup) in zip(progress.inProgress, hasLeftGroup) {
      if hasLeftGroup {
        let name = OccurrenceName(reminder: entry.reminder, key: entry.key)
        guard entry.message == nil, waiting.insert(name).inserted,
          let reminder = context.catalog.reminder(entry.reminder),
          let group = context.channelGroups(of: reminder, key: entry.key).first
        else { continue }
        (entry.channelGroup, entry.isWaiting, entry.cappedOn) = (group, false, nil)
      }
      entries.append(entry)
    }
    progress.inProgress = entries
  }

  /// The held occurrences for which gates are evaluated again after a change.
  private enum HeldScope {
    /// All held occurrences: a changed preference may open any gate, and a report may use or free
    /// capacity (rules V2, V5). The context has the previous facts in the current zone. It may be
    /// nil if no hold keeps its end after a change of zone.
    case everything(PlanningContext?)
    /// Only occurrences whose hold ends at another instant by the new catalog or tz database. Other
    /// holds keep their ends, because the recipient's zone may have changed during the hold (rule
    /// V11).
    case differences(from: PlanningContext)
  }

  /// Evaluates the gates again for held occurrences.
  private mutating func evaluateHeld(_ scope: HeldScope, now: Instant, in context: PlanningContext)
  {
    Work.count(progress.inProgress.count)
    for index in progress.inProgress.indices {
      var entry = progress.inProgress[index]
      guard let reminder = context.catalog.reminder(entry.reminder) else { continue }
      entry.deadline = context.deadline(of: entry, reminder)
      // The entry was snoozed, or was planned by a clock that has since been set back.
      if entry.planned > progress.cutoff {
        entry.due = context.dueInstant(of: entry, of: reminder, after: progress.cutoff)
      } else if needsEvaluation(entry, of: reminder, scope, now: now, in: context) {
        entry.wasHeldInFormerZone = false
        if entry.isWaiting {
          // Occurrences that wait for interval or cap are decided when they fire.
          entry.due = now
        } else {
          evaluateGates(&entry, of: reminder, now: max(now, entry.planned), in: context)
        }
      }
      progress.inProgress[index] = entry
    }
    progress.sortByDue()
  }

  private func needsEvaluation(
    _ entry: Progress.InProgress, of reminder: Reminder, _ scope: HeldScope, now: Instant,
    in context: PlanningContext
  ) -> Bool {
    // An occurrence that is due now is decided, and its hold recorded, when it fires.
    guard entry.holds.hasHolds || entry.due > now else { return false }
    switch scope {
    case .everything(let formerContext):
      guard entry.wasHeldInFormerZone, let formerContext else { return true }
      return isRedefined(entry, of: (reminder, reminder), from: formerContext, in: context)
    case .differences(let formerContext):
      guard let former = formerContext.catalog.reminder(entry.reminder) else { return true }
      if entry.isWaiting,
        !entry.wasHeldInFormerZone
          || isRedefined(entry, of: (former, reminder), from: formerContext, in: context)
      {
        return true
      }
      return passInstant(of: entry, of: former, now: now, in: formerContext)
        != passInstant(of: entry, of: reminder, now: now, in: context)
    }
  }

  /// Returns whether the input that defines the end of an entry's hold has changed.
  ///
  /// - Parameter reminders: the previous and the current reminder of the entry.
  private func isRedefined(
    _ entry: Progress.InProgress, of reminders: (Reminder, Reminder), from former: PlanningContext,
    in context: PlanningContext
  ) -> Bool {
    func definition(_ reminder: Reminder, _ context: PlanningContext) -> GateInput {
      context.gateInput(entry, of: reminder, countedDeliveries: [])
        .definition(of: entry.holds, isWaiting: entry.isWaiting)
    }
    return definition(reminders.0, former) != definition(reminders.1, context)
  }

  /// Returns when an entry passes all gates except interval and cap; nil if one of them drops it.
  private func passInstant(
    of entry: Progress.InProgress, of reminder: Reminder, now: Instant, in context: PlanningContext
  ) -> Instant? {
    let input = gateInput(entry, of: reminder, in: context)
    let decision = Gates.decide(input, from: now, ignoringLimits: true)
    return decision.outcome == .delivered ? decision.at : nil
  }

  private func evaluateGates(
    _ entry: inout Progress.InProgress, of reminder: Reminder, now: Instant,
    in context: PlanningContext
  ) {
    var input = gateInput(entry, of: reminder, in: context)
    context.pauseExpiry(&entry, by: input, at: now)
    input.setExpiryPause(of: entry)
    let decision = Gates.decide(input, from: now, ignoringLimits: true)
    entry.due = decision.outcome == .dropped ? now : decision.at
    if decision.trace.hasHeld(.vacation) { entry.holds.note(.vacation, .holds(until: now)) }
  }

  /// Makes overdue occurrences due.
  ///
  /// Expired occurrences, for example from an imported history, are omitted without a record.
  /// Expired requests are dropped with a record. Expired leads (reminders ahead of an instant) are
  /// also recorded while that instant is in the future (rules T13, T15).
  mutating func startLate(
    _ late: [Occurrence], of reminder: Reminder, now: Instant, in context: PlanningContext
  ) {
    let late = Self.latestLeads(late.filter { $0.planned <= progress.cutoff })
    guard !late.isEmpty else { return }
    if reminder.batch != nil { forgetBatches(in: context) }
    var doneKeys = context.doneKeys(of: reminder, progress)
    var entries: [Progress.InProgress] = []
    for occurrence in context.sortedByInstant(late, of: reminder) {
      guard
        reminder.requestedCategory != nil || occurrence.deadline.map({ $0 > now }) ?? false
          || occurrence.planned + context.lifetime(of: reminder, key: occurrence.key) >= now,
        !doneKeys.contains(occurrence.key),
        reminder.isRepeating || !context.repeatsUndecided(occurrence, of: reminder, progress)
      else { continue }
      doneKeys.insert(occurrence.key)
      entries += newEntries(
        of: occurrence, of: reminder, due: max(occurrence.planned, now), in: context)
    }
    progress.enqueue(entries)
  }
}

extension Recipient {
  /// Removes each lead of an entity for which the same reminder has a later lead (rule T13).
  private static func latestLeads(_ occurrences: [Occurrence]) -> [Occurrence] {
    var latest: [Int: Instant] = [:]
    for occurrence in occurrences where occurrence.deadline != nil {
      guard let item = occurrence.item else { continue }
      latest[item] = max(latest[item] ?? occurrence.planned, occurrence.planned)
    }
    return occurrences.filter { occurrence in
      guard occurrence.deadline != nil, let item = occurrence.item else { return true }
      return occurrence.planned == latest[item]
    }
  }
}

/// A one-time occurrence in the future. The predicted and the reported occurrence of a milestone
/// have the same name (rule I4) and different causes.
private struct OpenOccurrence: Hashable {
  let name: OccurrenceName
  let cause: Stamp?

  init(_ occurrence: Occurrence, of reminder: Reminder) {
    name = OccurrenceName(reminder: reminder.symbol, key: occurrence.key)
    cause = occurrence.cause
  }
}

extension Event {
  var isReport: Bool { if case .report = content { true } else { false } }

  fileprivate var changesVacation: Bool {
    if case .preferences(let changes) = content {
      changes.contains(where: \.changesVacation)
    } else {
      false
    }
  }
}

extension Facts {
  /// Returns these facts with the zone of the other facts.
  fileprivate func inZone(of other: Facts) -> Facts {
    guard zoneName != other.zoneName else { return self }
    var facts = self
    facts.profile.removeAll { $0.field == .timezone }
    facts.profile += other.profile.filter { $0.field == .timezone }
    return facts
  }
}
