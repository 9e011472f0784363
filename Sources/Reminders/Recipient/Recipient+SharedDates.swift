import CivilTime

/// Restores cancelled dates of calendar reminders that several entities share (rule G9).
extension Recipient {
  /// Returns the entities of each future calendar occurrence that the recipient has cancelled.
  ///
  /// - Parameter events: the events that are about to be applied to the facts.
  func cancelledDates(
    before events: [Event], _ planner: Planner
  ) -> [OccurrenceName: Set<ExactText>] {
    let cancelled = progress.cancelled.filter { $0.cause != .sent }
    guard !cancelled.isEmpty,
      events.contains(where: { $0.isOfEntity || $0.changesEntitySettings })
    else { return [:] }
    let context = PlanningContext(facts: facts, planner: planner)
    let dates = context.datedEntities(cancelled.map(OccurrenceName.init), after: progress.cutoff)
    // A date whose entities are all muted was cancelled for some of them. So it must not be
    // restored when one of them is no longer muted.
    return events.contains(where: \.isOfEntity) ? dates : dates.filter { !$0.value.isEmpty }
  }

  /// Restores a cancelled date that has become the date of another entity, because the recipient
  /// did not cancel that entity's occurrence.
  ///
  /// - Parameter dates: the result of `cancelledDates`, from before the events were applied.
  mutating func reopen(_ dates: [OccurrenceName: Set<ExactText>], _ planner: Planner) {
    guard !dates.isEmpty else { return }
    let context = PlanningContext(facts: facts, planner: planner)
    let current = context.datedEntities(Array(dates.keys), after: progress.cutoff)
    let entries = progress.cancelled.filter { entry in
      let name = OccurrenceName(entry)
      guard entry.cause != .sent, let former = dates[name], let entities = current[name]
      else { return false }
      return !entities.isSubset(of: former)
    }
    restore(entries, now: progress.cutoff, in: context)
  }
}

extension PlanningContext {
  /// Returns the entities of each future calendar occurrence whose reminder has entities.
  fileprivate func datedEntities(
    _ names: [OccurrenceName], after cutoff: Instant
  ) -> [OccurrenceName: Set<ExactText>] {
    var dates: [OccurrenceName: Set<ExactText>] = [:]
    for (symbol, names) in Dictionary(grouping: names, by: \.reminder) {
      guard let reminder = catalog.reminder(symbol),
        case .calendar(let trigger) = reminder.trigger, case .events = trigger.series?.start
      else { continue }
      let reminderDates = self.dates(trigger, of: reminder)
      for name in names {
        guard let planned = unsnoozedInstant(of: reminder, key: name.key), planned > cutoff else {
          continue
        }
        let allowedRuns = reminderDates.runs(on: date(of: name.key, trigger)).filter {
          isAllowed([$0], name.key, planned: planned, of: reminder, trigger)
        }
        dates[name] = Set(allowedRuns.compactMap { $0.identifier.map(ExactText.init) })
      }
    }
    return dates
  }
}

extension Event {
  /// Whether the event is a report with an identifier.
  var isOfEntity: Bool {
    if case .report(let report) = content { report.identifier != nil } else { false }
  }

  /// Whether the event changes settings of single entities, so that it may mute an entity or end
  /// its muting.
  fileprivate var changesEntitySettings: Bool {
    guard case .preferences(let changes) = content else { return false }
    return changes.contains { $0.entity != nil }
  }
}
