import CivilTime

extension Recipient {
  /// The maximum difference between the local times of two zones.
  private static let zoneDifferenceMax = TimeSpan.hours(26)

  /// Starts the calendar occurrences that new rules of the recipient's zone, or another default
  /// zone, moved into the past. So these occurrences are overdue, and not lost (rule T5).
  ///
  /// - Parameter former: the zone with its previous rules.
  mutating func startMoved(from former: Zone, now: Instant, _ planner: Planner) {
    let context = PlanningContext(facts: facts, planner: planner)
    guard former != context.zone else { return }
    let formerContext = PlanningContext(facts: facts, planner: planner, zone: former)
    context.forEachPlanned { reminder in
      guard case .calendar(let trigger) = reminder.trigger else { return }
      let moved = movedOccurrences(
        of: reminder, trigger, from: formerContext, now: now, in: context)
      startLate(moved, of: reminder, now: now, in: context)
    }
  }

  /// Returns the unexpired occurrences that were in the future in the former zone, and are not in
  /// the current one.
  private func movedOccurrences(
    of reminder: Reminder, _ trigger: CalendarTrigger, from formerContext: PlanningContext,
    now: Instant, in context: PlanningContext
  ) -> [Occurrence] {
    let earliest = now - min(Self.zoneDifferenceMax, reminder.expires)
    // The recipient gets no reminder for times before the first event.
    var after = max(earliest - .milliseconds(1), facts.created?.time ?? now)
    var lastKey = progress.highestKey(of: reminder.symbol)
    var moved: [Occurrence] = []
    var bound = LoopBound("occurrences that a zone moved")
    while bound.countStep(),
      let next = context.next(
        reminder, trigger, after: after, beyond: lastKey, progress: progress), next.planned <= now
    {
      (after, lastKey) = (next.planned, next.key)
      let formerInstant = formerContext.instant(of: next.key, trigger) + reminder.offset
      if formerInstant > now, !progress.isCancelled(reminder.symbol, key: next.key) {
        moved.append(next)
      }
    }
    return moved
  }
}
