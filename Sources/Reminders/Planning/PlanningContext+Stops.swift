import CivilTime

/// Finds the series that the recipient has ended (rules N4, N10). A stop is the record of such a
/// command.
extension PlanningContext {
  /// Returns whether the recipient has ended the series of all entities of a reminder. A later
  /// resumption, or a later switch of the reminder's group, starts the series again.
  func isStopped(_ reminder: Reminder) -> Bool {
    guard !facts.stops.isEmpty else { return false }
    let names = reminder.seriesNames
    let latest = facts.stops.lazy.filter { names.contains($0.reminder) }.map(\.stamp).max()
    return latest.map { !isResumed(reminder, since: $0) } ?? false
  }

  func isStopped(_ symbol: Symbol) -> Bool { catalog.reminder(symbol).map(isStopped) ?? false }

  /// Returns whether the recipient has ended the series of one entity. A later report of the
  /// entity, a resumption, or a switch of the reminder's group starts the series again. For a
  /// repetition, commands for the reminder that it repeats count too; the latest command decides.
  ///
  /// - Parameters:
  ///   - identifier: the identifier of the entity; nil if it has none.
  ///   - report: the latest report of the entity that plans the reminder.
  func isStopped(
    _ reminder: Reminder, about identifier: String?, since report: Stamp
  ) -> Bool {
    guard !facts.entityStops.isEmpty, let identifier else { return false }
    let stops = reminder.seriesNames.compactMap { facts.entityStop(of: $0, about: identifier) }
    guard let latest = stops.max(by: { $0.stamp < $1.stamp }), !latest.isResumed,
      latest.stamp > report
    else { return false }
    return !isResumed(reminder, since: latest.stamp)
  }

  /// Returns whether the recipient has resumed the series of all entities, or switched the group,
  /// since a stop.
  private func isResumed(_ reminder: Reminder, since stop: Stamp) -> Bool {
    guard facts.settings.contains(where: { $0.stamp > stop }) else { return false }
    let switchPath = Symbol(catalog.settings.definitions[reminder.groupSwitch].path)
    let paths = [switchPath] + reminder.seriesNames.map(Facts.Stop.resumption)
    return facts.settings.contains { $0.stamp > stop && paths.contains($0.path) }
  }

  /// Returns whether the series of an occurrence has ended: for all entities of the reminder, or
  /// for each entity of the occurrence.
  func isStopped(_ reminder: Reminder, key: Int64) -> Bool {
    if isStopped(reminder) { return true }
    guard !facts.entityStops.isEmpty, let entities = entities(of: reminder, key: key) else {
      return false
    }
    return !entities.isEmpty && entities.allSatisfy(\.isStopped)
  }

  /// Returns whether the series of an occurrence has ended for any of the occurrence's entities.
  /// Such a series can be resumed. Returns false if the reminder is switched off.
  package func hasStop(_ symbol: Symbol, key: Int64) -> Bool {
    guard let reminder = catalog.reminder(symbol), isSwitchedOn(reminder) else { return false }
    if isStopped(reminder) { return true }
    guard !facts.entityStops.isEmpty, let entities = entities(of: reminder, key: key) else {
      return false
    }
    return entities.contains(where: \.isStopped)
  }

  /// Returns whether a reminder's series has ended, for all or for any of its entities. Returns
  /// false if the reminder is switched off.
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
      guard let latest = latestOccurrence(trigger, of: reminder),
        let cause = latest.occurrence.cause
      else { return false }
      return isStopped(reminder, about: latest.identifier, since: cause)
    case .calendar(let trigger):
      return allRuns(trigger, of: reminder).contains { isStopped(reminder, $0) }
    case .plan(let trigger):
      return facts.items(of: trigger.event).contains {
        run(trigger, of: reminder, item: $0)?.isStopped == true
      }
    case .milestone, .idle, .request: return false
    }
  }

  func isStopped(_ reminder: Reminder, _ run: SeriesRun) -> Bool {
    run.start.map { isStopped(reminder, about: run.identifier, since: $0) } ?? false
  }

  /// Returns the entities that an occurrence is about, including those whose series has ended. The
  /// result is nil if the reminder follows events without an identifier, and empty if there is no
  /// such occurrence.
  func entities(of reminder: Reminder, key: Int64) -> [OccurrenceEntity]? {
    switch reminder.trigger {
    case .items(let trigger):
      guard hasEntities(trigger.event) else { return nil }
      guard let index = plannedItem(trigger, of: reminder, key: key) else { return [] }
      let item = facts.items[index]
      return [entity(item.identifier, of: reminder, since: item.stamp)].compactMap { $0 }
    case .after(let trigger):
      guard hasEntities(trigger.event) else { return nil }
      guard let latest = latestOccurrence(trigger, of: reminder), latest.occurrence.key == key,
        let cause = latest.occurrence.cause
      else { return [] }
      return [entity(latest.identifier, of: reminder, since: cause)].compactMap { $0 }
    case .calendar(let trigger): return entities(of: reminder, trigger, key: key)
    case .plan(let trigger):
      let run = run(trigger, of: reminder, key: key)
      return [run.flatMap { entity($0.identifier, of: reminder, since: $0.start) }]
        .compactMap { $0 }
    case .milestone, .idle, .request: return nil
    }
  }

  /// Returns those entities of an occurrence whose series have not ended. If there are none,
  /// returns all entities of the occurrence.
  func runningEntities(of reminder: Reminder, key: Int64) -> [OccurrenceEntity]? {
    let all = entities(of: reminder, key: key)
    guard let running = all?.filter({ !$0.isStopped }), !running.isEmpty else { return all }
    return running
  }

  /// Returns the entities that share the date of a calendar reminder's occurrence (rule G9). The
  /// result is empty for other reminders, and for a calendar that no events start.
  func sharedDate(of reminder: Reminder, key: Int64) -> SharedDate {
    guard case .calendar(let trigger) = reminder.trigger, case .events = trigger.series?.start
    else { return SharedDate() }
    let all = entities(of: reminder, key: key) ?? []
    let running = all.filter { !$0.isStopped }
    return SharedDate(
      entities: (running.isEmpty ? all : running).map(\.identifier).sorted(),
      ended: all.filter(\.isStopped).map(\.identifier).sorted())
  }

  /// Returns the identifiers of all entities that a reminder and its repetitions plan from.
  func identifiers(of symbol: Symbol) -> Set<ExactText> {
    let identifiers = catalog.series(of: symbol).flatMap { reminder -> [String?] in
      switch reminder.trigger {
      case .items(let trigger): facts.items[facts.items(of: trigger.event)].map(\.identifier)
      case .plan(let trigger): facts.items[facts.items(of: trigger.event)].map(\.identifier)
      case .calendar(let trigger): allRuns(trigger, of: reminder).map(\.identifier)
      case .after(let trigger): [latestOccurrence(trigger, of: reminder)?.identifier]
      case .milestone, .idle, .request: []
      }
    }
    return Set(identifiers.compactMap { $0.map(ExactText.init) })
  }

  /// Returns whether an item of an event type has an identifier. Items without an identifier sort
  /// first, so the last item decides.
  private func hasEntities(_ event: Symbol) -> Bool {
    facts.items[facts.items(of: event)].last?.identifier != nil
  }

  /// Returns the entities of a calendar reminder's occurrence: the entities that conditions allow
  /// and whose runs (dates since a start) have the occurrence's date. If conditions allow none of
  /// them, returns all entities whose runs have the date. Muted entities are omitted, unless all
  /// are muted.
  private func entities(
    of reminder: Reminder, _ trigger: CalendarTrigger, key: Int64
  ) -> [OccurrenceEntity]? {
    let all = allRuns(trigger, of: reminder)
    guard all.contains(where: { $0.identifier != nil }) else { return nil }
    guard let planned = unsnoozedInstant(of: reminder, key: key) else { return [] }
    let runs = runs(of: key, planned: planned, among: all, reminder, trigger)
    let unmuted = runs.filter { !sendsNothing(reminder, about: $0.identifier) }
    let entities = (unmuted.isEmpty ? runs : unmuted).map { run in
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

  /// Returns, for each reminder with ended runs, a stop for each of its other runs. If these stops
  /// replace the recipient's stops, only the ended runs of these reminders have occurrences.
  func stopsOfRunningRuns() -> [EntitySeriesCommand] {
    let farFuture = Stamp(time: Instant(milliseconds: .max), order: .max)
    return catalog.reminders.flatMap { reminder -> [EntitySeriesCommand] in
      guard case .calendar(let trigger) = reminder.trigger, !isStopped(reminder),
        case .events = trigger.series?.start, hasStop(reminder)
      else { return [] }
      return openRuns(trigger, of: reminder).compactMap { run in
        run.identifier.map {
          EntitySeriesCommand(
            reminder: reminder.symbol, identifier: $0, stamp: farFuture, isResumed: false)
        }
      }
    }
  }
}

extension Reminder {
  /// The reminders whose series include this reminder: the reminder itself, and the one that it
  /// repeats.
  fileprivate var seriesNames: [Symbol] { [symbol] + (repeated.map { [$0] } ?? []) }
}

/// An entity that an occurrence is about.
struct OccurrenceEntity: Hashable {
  let identifier: String
  /// Whether the recipient has ended the series of the entity.
  let isStopped: Bool
}
