import CivilTime

/// The series that the recipient has ended (rules N4, N10).
extension PlanningContext {
  /// Returns whether the recipient has ended the series of all entities of a reminder, and has
  /// neither resumed it nor switched its group since.
  func isStopped(_ reminder: Reminder) -> Bool {
    guard !facts.stops.isEmpty else { return false }
    return reminder.seriesNames.contains { name in
      facts.stops.contains {
        $0.reminder == name && !isResumed(reminder, as: name, since: $0.stamp)
      }
    }
  }

  /// Returns whether the recipient has ended the series of one entity, and the entity was not
  /// reported since.
  ///
  /// - Parameters:
  ///   - identifier: the identifier of the entity; nil if it has none.
  ///   - report: the latest report of the entity that plans the reminder.
  func isStopped(
    _ reminder: Reminder, about identifier: String?, since report: Stamp
  ) -> Bool {
    guard !facts.entityStops.isEmpty, let identifier else { return false }
    return reminder.seriesNames.contains { name in
      guard let stop = facts.stop(of: name, about: identifier) else { return false }
      return stop > report && !isResumed(reminder, as: name, since: stop)
    }
  }

  /// - Parameter name: the reminder whose series was ended: this one, or the one that it repeats.
  private func isResumed(_ reminder: Reminder, as name: Symbol, since stop: Stamp) -> Bool {
    let switched = Symbol(catalog.settings.definitions[reminder.isEnabled].path)
    let resumed = Facts.Stop.resumption(of: name)
    return facts.settings.contains {
      ($0.path == switched || $0.path == resumed) && $0.stamp > stop
    }
  }

  /// Returns whether the series of an occurrence has ended, for all of its entities or for its
  /// reminder.
  func isStopped(_ reminder: Reminder, key: Int64) -> Bool {
    if isStopped(reminder) { return true }
    guard !facts.entityStops.isEmpty, let entities = entities(of: reminder, key: key) else {
      return false
    }
    return !entities.isEmpty && entities.allSatisfy(\.isStopped)
  }

  /// Returns whether the series of an occurrence has ended for any of its entities, so that it can
  /// be resumed.
  package func hasStop(_ symbol: Symbol, key: Int64) -> Bool {
    guard let reminder = catalog.reminder(symbol), isSwitchedOn(reminder) else { return false }
    if isStopped(reminder) { return true }
    guard !facts.entityStops.isEmpty, let entities = entities(of: reminder, key: key) else {
      return false
    }
    return entities.contains(where: \.isStopped)
  }

  /// Returns whether a reminder's series has ended, for all or for any of its entities.
  func hasStop(_ reminder: Reminder) -> Bool {
    guard isSwitchedOn(reminder) else { return false }
    if isStopped(reminder) { return true }
    guard !facts.entityStops.isEmpty else { return false }
    switch reminder.trigger {
    case .items(let trigger):
      return facts.items[facts.items(of: trigger.event)].contains { item in
        isStopped(reminder, about: item.identifier, since: item.stamp)
      }
    case .after(let trigger):
      guard let latest = latestOccurrence(trigger), let cause = latest.occurrence.cause else {
        return false
      }
      return isStopped(reminder, about: latest.identifier, since: cause)
    case .calendar(let trigger):
      return allRuns(trigger).contains { isStopped(reminder, $0) }
    case .milestone, .idle, .request: return false
    }
  }

  func isStopped(_ reminder: Reminder, _ run: SeriesRun) -> Bool {
    run.start.map { isStopped(reminder, about: run.identifier, since: $0) } ?? false
  }

  /// Returns the entities that an occurrence is about, including those whose series has ended; nil
  /// if the reminder follows events without an identifier; empty if there is no such occurrence.
  func entities(of reminder: Reminder, key: Int64) -> [OccurrenceEntity]? {
    switch reminder.trigger {
    case .items(let trigger):
      guard hasEntities(trigger.event) else { return nil }
      let planned = plannedOccurrences(
        trigger, of: reminder, memo?.codes(facts) ?? facts.itemCodes())
      guard let index = planned.first(where: { $0.key == key })?.item else { return [] }
      let item = facts.items[index]
      return [entity(item.identifier, of: reminder, since: item.stamp)].compactMap { $0 }
    case .after(let trigger):
      guard hasEntities(trigger.event) else { return nil }
      guard let latest = latestOccurrence(trigger), latest.occurrence.key == key,
        let cause = latest.occurrence.cause
      else { return [] }
      return [entity(latest.identifier, of: reminder, since: cause)].compactMap { $0 }
    case .calendar(let trigger): return entities(of: reminder, trigger, key: key)
    case .milestone, .idle, .request: return nil
    }
  }

  private func hasEntities(_ event: Symbol) -> Bool {
    facts.items[facts.items(of: event)].contains { $0.identifier != nil }
  }

  /// Returns the entities of a calendar reminder's occurrence whose runs contain its date and which
  /// its terms allow; if the terms allow none, all whose runs contain it.
  private func entities(
    of reminder: Reminder, _ trigger: CalendarTrigger, key: Int64
  ) -> [OccurrenceEntity]? {
    let all = allRuns(trigger)
    guard all.contains(where: { $0.identifier != nil }) else { return nil }
    guard let planned = ownInstant(of: reminder, key: key) else { return [] }
    let date = date(of: key, trigger)
    let runs = all.filter { $0.contains(date) }
    let allowed = runs.filter { isAllowed([$0], key, planned: planned, of: reminder, trigger) }
    let entities = (allowed.isEmpty ? runs : allowed).map { run in
      run.start.flatMap { entity(run.identifier, of: reminder, since: $0) }
    }
    return entities.contains(nil) ? nil : entities.compactMap { $0 }
  }

  private func entity(
    _ identifier: String?, of reminder: Reminder, since report: Stamp
  ) -> OccurrenceEntity? {
    identifier.map {
      OccurrenceEntity(
        identifier: $0, isStopped: isStopped(reminder, about: $0, since: report))
    }
  }

  /// Returns the facts without the start events of running runs, for reminders that also have ended
  /// ones. The dates of these reminders are then those of the ended runs.
  func leavingOutRuns(of facts: Facts) -> Facts {
    var facts = facts
    for reminder in catalog.reminders {
      guard case .calendar(let trigger) = reminder.trigger, !isStopped(reminder),
        case .events(let events) = trigger.series?.start, hasStop(reminder)
      else { continue }
      let running = Set(
        runs(trigger, of: reminder).compactMap { $0.identifier.map(ExactText.init) })
      let types = events.filter(\.isPerEntity).map(\.event)
      facts.items.removeAll { item in
        types.contains(item.type)
          && item.identifier.map { running.contains(ExactText($0)) } ?? false
      }
    }
    return facts
  }
}

extension Reminder {
  /// The reminders whose series includes this one: itself, and the one that it repeats.
  fileprivate var seriesNames: [Symbol] { [symbol] + (repeated.map { [$0] } ?? []) }
}

/// An entity that an occurrence is about.
struct OccurrenceEntity: Hashable {
  let identifier: String
  /// Whether the recipient has ended its series.
  let isStopped: Bool
}
