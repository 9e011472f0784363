package import CivilTime

/// What other catalogs end (rule T5).
extension Recipient {
  /// Returns the keys of the occurrences that end, by reminder: those that are pending of a
  /// reminder that is gone, and those that are held and not planned any more.
  ///
  /// - Parameters:
  ///   - former: what has planned until now.
  ///   - planner: what plans from now on.
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

  /// Ends what is held of reminders that are gone, and what has come of them since the cutoff.
  ///
  /// - Parameters: see `ended`.
  /// - Returns: what ends, as it is recorded.
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
  /// Whether another catalog lacks some of its reminders, under any name.
  fileprivate func hasRemoved(by other: Catalog) -> Bool {
    (reminders + requested).contains { other.reminder($0.symbol) == nil }
  }
}
