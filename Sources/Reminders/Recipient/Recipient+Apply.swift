package import CivilTime

extension Recipient {
  /// Takes in an event and plans anew (rule T5). What is due before `now` must have been fired.
  ///
  /// - Parameters:
  ///   - order: the event's place in the order of arrival.
  ///   - now: the instant of arrival; in a simulation the event's own time.
  package mutating func apply(_ event: Event, order: Int64, now: Instant, planner: Planner) {
    let open = isPlanMoved(by: event) ? openOccurrences(planner) : []
    let memory = planner.catalog.event(event.type)?.memory
    facts.fold(event, order: order, memory: memory)
    let stamp = Stamp(time: event.time, order: order)
    replan(now: now, planner: planner) { reminder, occurrence in
      occurrence.cause == stamp
        || open.contains(Open(reminder: reminder.symbol, key: occurrence.key))
    }
  }

  /// Plans anew after the catalog or the zones changed (rules T1, T5).
  ///
  /// - Parameter before: what planned until now.
  package mutating func replan(from before: Planner, to planner: Planner, now: Instant) {
    let open = openOccurrences(before)
    replan(now: now, planner: planner) { reminder, occurrence in
      open.contains(Open(reminder: reminder.symbol, key: occurrence.key))
    }
  }

  private struct Open: Hashable {
    var reminder: Symbol
    var key: Int64
  }

  private func isPlanMoved(by event: Event) -> Bool {
    switch event.content {
    case .profile, .preferences: true
    case .happening, .erasure: false
    }
  }

  /// The one-time occurrences that wait for their planned instant: if a change moves that into the
  /// past, they are late, not lost.
  private func openOccurrences(_ planner: Planner) -> Set<Open> {
    let situation = Situation(facts: facts, planner: planner)
    var open: Set<Open> = []
    for reminder in situation.catalog.reminders where !reminder.isRepeating {
      guard !situation.channels(of: reminder).isEmpty else { continue }
      let next = situation.next(reminder, after: progress.cutoff, progress: progress)
      if let next { open.insert(Open(reminder: reminder.symbol, key: next.key)) }
    }
    return open
  }

  /// Brings what is under way in line with the facts.
  ///
  /// - Parameter isLate: of an occurrence planned in the past, whether it was not there to be
  ///   fired then: its event has only arrived now, or a change has moved it.
  private mutating func replan(
    now: Instant, planner: Planner, isLate: (Reminder, Occurrence) -> Bool
  ) {
    let situation = Situation(facts: facts, planner: planner)
    progress.cutoff = max(progress.cutoff, now)
    progress.underWay.removeAll { entry in
      guard let reminder = planner.catalog.reminder(entry.reminder) else { return true }
      return !situation.isOpen(entry, of: reminder)
    }
    reconsider(now: now, in: situation)
    for reminder in planner.catalog.reminders where !reminder.isRepeating {
      guard !situation.channels(of: reminder).isEmpty else { continue }
      for occurrence in situation.occurrences(reminder) where isLate(reminder, occurrence) {
        start(occurrence, of: reminder, now: now)
      }
    }
  }

  /// Applies the gates anew to what they hold: a changed preference may open them (rule V7).
  private mutating func reconsider(now: Instant, in situation: Situation) {
    for index in progress.underWay.indices {
      let entry = progress.underWay[index]
      guard let reminder = situation.catalog.reminder(entry.reminder) else { continue }
      let input = situation.gateInput(reminder, planned: entry.planned)
      // A clock that stepped back may stand before the planned instant.
      let start = max(now, entry.planned)
      let decision = Gates.decide(input, from: start)
      progress.underWay[index].due = decision.outcome == .dropped ? start : decision.at
    }
  }

  /// Puts an occurrence whose planned instant is past under way, unless it is hopeless: what an app
  /// imports of long ago is no reminder.
  private mutating func start(_ occurrence: Occurrence, of reminder: Reminder, now: Instant) {
    guard occurrence.planned <= progress.cutoff, occurrence.planned + reminder.expires >= now,
      !progress.isDone(reminder.symbol, key: occurrence.key)
    else { return }
    progress.underWay.append(
      Progress.UnderWay(
        reminder: reminder.symbol, key: occurrence.key, planned: occurrence.planned,
        due: max(occurrence.planned, now), holds: GateTrace()))
  }
}

extension EventSchema {
  /// How the type's number is remembered, if it has one.
  package var memory: Memory? {
    if case .happening(let field) = shape { field?.memory } else { nil }
  }
}
