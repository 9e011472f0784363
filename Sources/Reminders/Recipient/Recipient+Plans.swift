import CivilTime

extension Recipient {
  /// For each plan whose event arrives, starts the latest dose that is already due and has not
  /// expired. So this dose is overdue and not lost (rule T5).
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

  /// Returns the stamps of the events that replace a plan and have a time in the future, because
  /// the app's clock is fast.
  func plansAhead(among arrivals: [Arrival], now: Instant, _ planner: Planner) -> Set<Stamp> {
    let plans = planner.catalog.entityUse.plans
    let ahead = arrivals.filter { arrival in
      guard arrival.event.time > now, plans.contains(arrival.event.symbol),
        case .report(let report) = arrival.event.content, let identifier = report.identifier
      else { return false }
      return !facts.items(of: arrival.event.symbol, about: identifier).isEmpty
    }
    return Set(ahead.map(\.stamp))
  }

  /// Starts the doses that are planned up to the times of events that replace plans. Otherwise they
  /// would be lost, because the new plans begin at these times and the previous plans are gone.
  ///
  /// - Parameter stamps: the stamps of the events, which are in the future.
  mutating func startDoses(until stamps: Set<Stamp>, now: Instant, _ planner: Planner) {
    guard !stamps.isEmpty else { return }
    var currentFacts = facts
    var ends: [Int: Instant] = [:]
    for (index, item) in facts.items.enumerated() where stamps.contains(item.stamp) {
      ends[index] = item.stamp.time
      currentFacts.items[index] = item.reported(at: now)
    }
    let context = PlanningContext(facts: currentFacts, planner: planner)
    context.forEachPlanned { reminder in
      guard case .plan = reminder.trigger else { return }
      context.forEachSeries(of: reminder) { item in
        guard let item, let end = ends[item] else { return }
        startDoses(of: reminder, item, until: end, in: context)
      }
    }
  }

  private mutating func startDoses(
    of reminder: Reminder, _ item: Int, until end: Instant, in context: PlanningContext
  ) {
    var after = progress.cutoff
    var bound = LoopBound("doses until an event's time")
    while bound.countStep(),
      let next = context.next(reminder, item: item, after: after, progress: progress),
      next.planned <= end
    {
      after = next.planned
      progress.enqueue(newEntries(of: next, of: reminder, due: next.planned, in: context))
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

extension Item {
  /// Returns the item as if it had been reported at an instant.
  fileprivate func reported(at instant: Instant) -> Item {
    Item(
      type: type, identifier: identifier, stamp: Stamp(time: instant, order: stamp.order),
      first: first, details: details)
  }
}
