import CivilTime

extension Recipient {
  /// Starts the latest dose of each plan that was due between its event and the event's arrival. So
  /// it is overdue and not lost (rule T5).
  mutating func startLateDoses(after arrivals: [Arrival], now: Instant, _ planner: Planner) {
    let plans = planner.catalog.entityUse.plans
    guard !plans.isEmpty, arrivals.contains(where: { plans.contains($0.event.symbol) }) else {
      return
    }
    let stamps = Set(arrivals.map(\.stamp))
    let context = PlanningContext(facts: facts, planner: planner)
    context.forEachPlanned { reminder in
      guard case .plan = reminder.trigger else { return }
      context.forEachSeries(of: reminder) { item in
        guard let item, stamps.contains(facts.items[item].stamp),
          let late = lateDose(of: reminder, item, now: now, in: context)
        else { return }
        startLate([late], of: reminder, now: now, in: context)
      }
    }
  }

  /// Returns the latest dose that is due and has not expired; nil if there is none.
  private func lateDose(
    of reminder: Reminder, _ item: Int, now: Instant, in context: PlanningContext
  ) -> Occurrence? {
    var late: Occurrence?
    var after = now - reminder.expires - .milliseconds(1)
    var bound = LoopBound("late doses")
    while bound.countStep(),
      let next = context.next(reminder, item: item, after: after, progress: progress),
      next.planned <= progress.cutoff
    {
      (late, after) = (next, next.planned)
    }
    return late
  }
}
