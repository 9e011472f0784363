import CivilTime

/// Finds the dates of series that a change concerns, besides the next ones (rules N4, P5).
extension Recipient {
  /// Returns the occurrences that commands cancel, snooze or resume, or by which they name a
  /// series, with their repetitions.
  func commandedNames(in events: [Event], now: Instant, planner: Planner) -> Set<OccurrenceName> {
    var finder = TargetFinder(self, planner)
    var names: Set<OccurrenceName> = []
    for event in events {
      let targets = finder.targets(of: event).map(\.name)
      let resumed = resumableNames(of: event, now: now, in: finder.context)
      for name in targets + resumed + [event.seriesDate].compactMap(\.self) {
        names.formUnion(
          finder.context.catalog.series(of: name.reminder).map {
            OccurrenceName(reminder: $0.symbol, key: name.key)
          })
      }
    }
    return names
  }

  /// Returns all pending occurrences; of a series, only the next one and those in progress.
  func pendingNames(planner: Planner) -> Set<OccurrenceName> {
    let context = PlanningContext(facts: facts, planner: planner)
    var names = Set(progress.inProgress.map(OccurrenceName.init))
    context.forEachPlanned { reminder in
      context.forEachNext(reminder, after: progress.cutoff, progress: progress) { next in
        names.insert(OccurrenceName(reminder: reminder.symbol, key: next.key))
      }
    }
    return names
  }
}

extension Event {
  /// The date by which the event names a series that it ends or resumes; nil for other events.
  fileprivate var seriesDate: OccurrenceName? {
    switch content {
    case .cancellation(let reminder, let key?, isSeries: true),
      .resumption(let reminder, let key?, isSeries: true):
      OccurrenceName(reminder: reminder, key: key)
    default: nil
    }
  }
}
