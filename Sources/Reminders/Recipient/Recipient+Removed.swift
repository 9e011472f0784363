package import CivilTime

/// Occurrences that end when the catalogs change (rule T10).
extension Recipient {
  /// Returns the keys of the occurrences that end, by reminder: all pending ones of removed
  /// reminders, and held ones that are no longer planned.
  ///
  /// - Parameters:
  ///   - former: the previous planner.
  ///   - planner: the new planner.
  package func ended(from former: Planner, to planner: Planner) -> [Symbol: Set<Int64>] {
    var ended: [Symbol: Set<Int64>] = [:]
    for entry in endedHeld(by: planner) { ended[entry.reminder, default: []].insert(entry.key) }
    guard former.catalog.hasRemoved(by: planner.catalog) else { return ended }
    let context = PlanningContext(facts: facts, planner: former)
    context.forEachPlanned { reminder in
      guard planner.catalog.reminder(reminder.symbol) == nil else { return }
      context.forEachNext(reminder, after: progress.cutoff, progress: progress) {
        ended[reminder.symbol, default: []].insert($0.key)
      }
    }
    return ended
  }

  private func endedHeld(by planner: Planner) -> [Progress.UnderWay] {
    guard !progress.underWay.isEmpty else { return [] }
    var renamed = self
    renamed.rename(by: planner.catalog.renaming)
    let context = PlanningContext(facts: renamed.facts, planner: planner)
    return zip(progress.underWay, renamed.progress.underWay).filter { _, entry in
      let reminder = planner.catalog.reminder(entry.reminder)
      return reminder.map { !context.isOpen(entry, of: $0) } ?? true
    }.map(\.0)
  }

  /// Ends the occurrences of removed reminders that are held or have become due since the cutoff.
  ///
  /// - Parameters: see `ended`.
  /// - Returns: the outcomes to record.
  package mutating func withdrawRemoved(
    from former: Planner, to planner: Planner, now: Instant
  ) -> [Firing] {
    var firings: [Firing] = []
    let context = PlanningContext(facts: facts, planner: former)
    if former.catalog.hasRemoved(by: planner.catalog) {
      context.forEachPlanned { reminder in
        guard planner.catalog.reminder(reminder.symbol) == nil else { return }
        startRemoved(reminder, now: now, in: context, firings: &firings)
      }
    }
    for entry in progress.underWay where planner.catalog.reminder(entry.reminder) == nil {
      guard let reminder = former.catalog.reminder(entry.reminder) else { continue }
      firings.append(dropped(entry, of: reminder, by: .withdrawn, at: now, in: context))
    }
    progress.underWay.removeAll { planner.catalog.reminder($0.reminder) == nil }
    return firings
  }

  private mutating func startRemoved(
    _ reminder: Reminder, now: Instant, in context: PlanningContext, firings: inout [Firing]
  ) {
    guard reminder.isPlural else {
      _ = startSeries(of: reminder, now: now, in: context, firings: &firings)
      return
    }
    var due: [Occurrence] = []
    context.forEachNext(reminder, after: progress.cutoff, progress: progress) {
      if $0.planned <= now { due.append($0) }
    }
    startItems(due, of: reminder, in: context)
  }
}

extension Catalog {
  /// Returns whether another catalog lacks any of its reminders, also under a new name.
  fileprivate func hasRemoved(by other: Catalog) -> Bool {
    (reminders + requested).contains { other.reminder($0.symbol) == nil }
  }
}
