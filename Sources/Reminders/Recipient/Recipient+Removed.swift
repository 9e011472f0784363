package import CivilTime

/// Ends occurrences when the catalogs change (rule T10).
extension Recipient {
  /// Returns, by reminder, the keys of the occurrences that end: all pending occurrences of removed
  /// reminders, and held occurrences that are no longer planned.
  package func endedKeys(by change: PlannerChange) -> [Symbol: Set<Int64>] {
    let (former, planner) = (change.former, change.planner)
    var ended: [Symbol: Set<Int64>] = [:]
    for entry in endedEntries(by: planner) {
      ended[entry.reminder, default: []].insert(entry.key)
    }
    guard change.removesReminders else { return ended }
    let context = PlanningContext(facts: facts, planner: former)
    context.forEachPlanned { reminder in
      guard planner.catalog.reminder(reminder.symbol) == nil else { return }
      context.forEachNext(reminder, after: progress.cutoff, progress: progress) {
        ended[reminder.symbol, default: []].insert($0.key)
      }
    }
    return ended
  }

  /// Returns the entries of the held occurrences that are no longer planned.
  private func endedEntries(by planner: Planner) -> [Progress.InProgress] {
    guard !progress.inProgress.isEmpty else { return [] }
    var renamed = self
    renamed.rename(by: planner.catalog.renaming)
    let context = PlanningContext(facts: renamed.facts, planner: planner)
    return zip(progress.inProgress, renamed.progress.inProgress).filter { _, entry in
      let reminder = planner.catalog.reminder(entry.reminder)
      return reminder.map { !context.isOpen(entry, of: $0) } ?? true
    }.map(\.0)
  }

  /// Ends the occurrences of removed reminders that are held or have become due since the cutoff.
  ///
  /// - Returns: the outcomes to record.
  package mutating func withdrawRemoved(by change: PlannerChange, now: Instant) -> [Firing] {
    guard change.removesReminders || !progress.inProgress.isEmpty else { return [] }
    let (former, planner) = (change.former, change.planner)
    var firings: [Firing] = []
    let context = PlanningContext(facts: facts, planner: former)
    if change.removesReminders {
      context.forEachPlanned { reminder in
        guard planner.catalog.reminder(reminder.symbol) == nil else { return }
        startRemoved(reminder, now: now, in: context, firings: &firings)
      }
    }
    for entry in progress.inProgress where planner.catalog.reminder(entry.reminder) == nil {
      guard let reminder = former.catalog.reminder(entry.reminder) else { continue }
      firings.append(dropped(entry, of: reminder, by: .withdrawn, at: now, in: context))
    }
    progress.inProgress.removeAll { planner.catalog.reminder($0.reminder) == nil }
    return firings
  }

  /// Starts the occurrences of a removed reminder that have become due since the cutoff.
  private mutating func startRemoved(
    _ reminder: Reminder, now: Instant, in context: PlanningContext, firings: inout [Firing]
  ) {
    guard reminder.allowsSeveralPending, !reminder.isRepeating else {
      context.forEachSeries(of: reminder) { item in
        _ = startSeries(of: reminder, item, now: now, in: context, firings: &firings)
      }
      return
    }
    var due: [Occurrence] = []
    context.forEachNext(reminder, after: progress.cutoff, progress: progress) {
      if $0.planned <= now { due.append($0) }
    }
    startItems(due, of: reminder, in: context)
  }
}
