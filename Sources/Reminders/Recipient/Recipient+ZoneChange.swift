import CivilTime

extension Recipient {
  /// The maximum difference between the clocks of two zones.
  private static let zonesApart = TimeSpan.hours(26)

  /// Starts the calendar occurrences that new rules of the recipient's zone, or another default
  /// zone, moved into the past. So they are overdue and not lost (rule T5).
  ///
  /// - Parameter former: the zone with its previous rules.
  mutating func startMoved(from former: Zone, now: Instant, _ planner: Planner) {
    let context = PlanningContext(facts: facts, planner: planner)
    guard former != context.zone else { return }
    let before = PlanningContext(facts: facts, planner: planner, zone: former)
    context.forEachPlanned { reminder in
      guard case .calendar(let trigger) = reminder.trigger else { return }
      let moved = moved(reminder, trigger, from: before, now: now, in: context)
      startLate(moved, of: reminder, now: now, in: context)
    }
  }

  private func moved(
    _ reminder: Reminder, _ trigger: CalendarTrigger, from before: PlanningContext, now: Instant,
    in context: PlanningContext
  ) -> [Occurrence] {
    let earliest = now - min(Self.zonesApart, reminder.expires)
    // The recipient gets no reminder for times before the first event.
    var after = max(earliest - .milliseconds(1), facts.created?.time ?? now)
    var floor = progress.highestKey(of: reminder.symbol)
    var moved: [Occurrence] = []
    var bound = LoopBound("occurrences that a zone moved")
    while bound.countStep(),
      let next = context.next(
        reminder, trigger, after: after, beyond: floor, progress: progress), next.planned <= now
    {
      (after, floor) = (next.planned, next.key)
      let former = before.instant(of: next.key, trigger) + reminder.offset
      if former > now, !progress.isCancelled(reminder.symbol, key: next.key) { moved.append(next) }
    }
    return moved
  }
}
