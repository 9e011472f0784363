import CivilTime

/// Dates of calendar reminders that several entities share (rule G9).
extension Recipient {
  /// Returns the entities of each calendar occurrence that is ahead and that the recipient has
  /// cancelled.
  ///
  /// - Parameter events: the events that are about to be folded.
  func cancelledDates(
    before events: [Event], _ planner: Planner
  ) -> [OccurrenceName: Set<ExactText>] {
    let cancelled = progress.cancelled.filter { $0.cause != .said }
    guard !cancelled.isEmpty, events.contains(where: \.isOfEntity) else { return [:] }
    let context = PlanningContext(facts: facts, planner: planner)
    var dates: [OccurrenceName: Set<ExactText>] = [:]
    for name in cancelled.map(OccurrenceName.init) {
      dates[name] = context.datedEntities(name, after: progress.cutoff)
    }
    return dates
  }

  /// Restores a cancelled date that has become the date of a further entity, which the recipient
  /// did not cancel.
  mutating func reopen(_ dates: [OccurrenceName: Set<ExactText>], _ planner: Planner) {
    guard !dates.isEmpty else { return }
    let context = PlanningContext(facts: facts, planner: planner)
    for entry in progress.cancelled where entry.cause != .said {
      let name = OccurrenceName(entry)
      guard let former = dates[name],
        let entities = context.datedEntities(name, after: progress.cutoff),
        !entities.isSubset(of: former)
      else { continue }
      bringBack(entry, now: progress.cutoff, in: context)
    }
  }
}

extension PlanningContext {
  /// Returns the entities of a calendar reminder's occurrence; nil if it is past or the reminder
  /// has no entities.
  fileprivate func datedEntities(
    _ name: OccurrenceName, after cutoff: Instant
  ) -> Set<ExactText>? {
    guard let reminder = catalog.reminder(name.reminder),
      case .calendar(let trigger) = reminder.trigger, case .events = trigger.series?.start,
      let planned = ownInstant(of: reminder, key: name.key), planned > cutoff
    else { return nil }
    let date = date(of: name.key, trigger)
    let runs = runs(trigger, of: reminder).filter { run in
      run.contains(date)
        && isAllowed([run], name.key, planned: planned, of: reminder, trigger)
    }
    return Set(runs.compactMap { $0.identifier.map(ExactText.init) })
  }
}

extension Event {
  /// Whether it is a report with an identifier.
  var isOfEntity: Bool {
    if case .report(let report) = content { report.identifier != nil } else { false }
  }
}
