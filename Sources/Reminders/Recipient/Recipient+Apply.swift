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
    fold(arrivals, planner)
    place(milestones, planner)
    for (event, target) in zip(events, targets) {
      carryOut(event, on: target, planner: planner)
    }
    let isNew = Self.isCaused(by: arrivals)
    let causes = open.isEmpty ? SymbolSketch(events.lazy.map(\.symbol)) : nil
    replan(after: causes, now: now, planner: planner) { reminder, occurrence in
      let name = OccurrenceName(reminder: reminder.symbol, key: occurrence.key)
      return isNew(occurrence) && !past.contains(name) || open.contains(name)
    }
    keep(smart, now: now, planner)
  }

  /// Of what facts remember a few only, all that one request brings stays until it is decided: to
  /// be told of forty things at once is to be told of forty.
  private mutating func fold(_ arrivals: [Arrival], _ planner: Planner) {
    let isAlone = arrivals.count == 1
    let openers =
      progress.batches.isEmpty ? [] : Set(arrivals.map(\.event.symbol)).flatMap(openersUnderWay)
    if !isAlone { facts.letGo(toldBy: arrivals.map(\.event)) }
    for arrival in arrivals {
      facts.fold(
        arrival.event, order: arrival.order,
        memory: planner.catalog.event(arrival.event.type)?.memory, withdrawn: arrival.withdrawn,
        isLettingGo: isAlone)
    }
    facts.restore(openers)
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
    replan(after: nil, now: now, planner: planner) { reminder, occurrence in
      open.contains(OccurrenceName(reminder: reminder.symbol, key: occurrence.key))
    }
  }

  private func isPlanMoved(by event: Event) -> Bool {
    switch event.content {
    case .profile, .preferences, .device, .cancellation: true
    case .happening, .report, .request, .requestCancellation, .snooze, .opening, .erasure: false
    }
  }

  /// The one-time occurrences that wait for their planned instant: if a change moves that into the
  /// past, they are late, not lost.
  private func openOccurrences(_ planner: Planner) -> Set<OccurrenceName> {
    let situation = Situation(facts: facts, planner: planner)
    var open: Set<OccurrenceName> = []
    situation.forEachPlanned { reminder in
      guard !reminder.isRepeating else { return }
      situation.forEachNext(reminder, after: progress.cutoff, progress: progress) {
        open.insert(OccurrenceName(reminder: reminder.symbol, key: $0.key))
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
    let situation = Situation(facts: facts, planner: planner)
    var past: Set<OccurrenceName> = []
    for reminder in situation.catalog.reminders where reminder.isPlural {
      for occurrence in situation.occurrences(reminder) where occurrence.planned <= progress.cutoff
      {
        past.insert(OccurrenceName(reminder: reminder.symbol, key: occurrence.key))
      }
    }
    return past
  }

  /// Brings what is under way in line with the facts.
  ///
  /// - Parameters:
  ///   - causes: what alone may have brought something that is late; nil if a change may have.
  ///   - isLate: of an occurrence planned in the past, whether it was not there to be fired then:
  ///     its event has only arrived now, or a change has moved it.
  private mutating func replan(
    after causes: SymbolSketch?, now: Instant, planner: Planner,
    isLate: (Reminder, Occurrence) -> Bool
  ) {
    let situation = Situation(facts: facts, planner: planner)
    progress.cutoff = max(progress.cutoff, now)
    progress.underWay.removeAll { entry in
      guard let reminder = planner.catalog.reminder(entry.reminder) else { return true }
      return !situation.isOpen(entry, of: reminder)
    }
    reconsider(now: now, in: situation)
    situation.forEachPlanned(following: causes) { reminder in
      guard !reminder.isRepeating else { return }
      let late = situation.occurrences(reminder).filter { isLate(reminder, $0) }
      startLate(late, of: reminder, now: now, in: situation)
    }
  }

  /// Applies the gates anew to what they hold: a changed preference may open them (rule V7).
  private mutating func reconsider(now: Instant, in situation: Situation) {
    Work.count(progress.underWay.count)
    for index in progress.underWay.indices {
      let entry = progress.underWay[index]
      guard let reminder = situation.catalog.reminder(entry.reminder) else { continue }
      // Snoozed, or planned by a clock that has stepped back since.
      guard entry.planned <= now else {
        progress.underWay[index].due = entry.planned
        continue
      }
      let input = situation.gateInput(
        reminder, key: entry.key, planned: entry.planned, track: entry.track,
        recent: progress.recent)
      let decision = Gates.decide(input, from: now)
      progress.underWay[index].due = decision.outcome == .dropped ? now : decision.at
    }
    progress.sortByDue()
  }

  /// Puts occurrences whose planned instant is past under way, unless it is hopeless: what an app
  /// imports of long ago is no reminder.
  private mutating func startLate(
    _ late: [Occurrence], of reminder: Reminder, now: Instant, in situation: Situation
  ) {
    guard !late.isEmpty else { return }
    if reminder.batch != nil { forgetBatches(in: situation) }
    var done = progress.done(of: reminder.symbol)
    var entries: [Progress.UnderWay] = []
    for occurrence in situation.inTurn(late, of: reminder) {
      guard occurrence.planned <= progress.cutoff,
        occurrence.planned + situation.expires(reminder, key: occurrence.key) >= now,
        !done.contains(occurrence.key)
      else { continue }
      done.insert(occurrence.key)
      entries += ways(
        of: occurrence, of: reminder, due: max(occurrence.planned, now), in: situation)
    }
    progress.enqueue(entries)
  }
}
