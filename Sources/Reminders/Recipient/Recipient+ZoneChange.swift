import CivilTime

extension Recipient {
  /// The maximum difference between the local times of two zones.
  private static let zoneDifferenceMax = TimeSpan.hours(26)

  /// Starts the repeating occurrences that a change of zones moved into the past, so that they are
  /// overdue and not lost (rule T5). The rules of a recipient's or a plan's zone may have changed,
  /// or the default zone.
  ///
  /// - Parameter previous: the planner with the previous rules.
  mutating func startMoved(from previous: Planner, now: Instant, _ planner: Planner) {
    let context = PlanningContext(facts: facts, planner: planner)
    let former = previous.zone(of: facts)
    guard former != context.zone || facts.hasPlanZone(from: previous.zones, to: planner.zones)
    else { return }
    let formerContext = PlanningContext(
      facts: facts, planner: planner, zone: former, zones: previous.zones)
    context.forEachPlanned { reminder in
      guard reminder.isRepeating else { return }
      var moved: [Occurrence] = []
      context.forEachSeries(of: reminder) {
        moved += self.moved(reminder, $0, from: formerContext, now: now, in: context)
      }
      startLate(moved, of: reminder, now: now, in: context)
    }
  }

  private func moved(
    _ reminder: Reminder, _ item: Int?, from before: PlanningContext, now: Instant,
    in context: PlanningContext
  ) -> [Occurrence] {
    let earliest = now - min(Self.zoneDifferenceMax, reminder.expires)
    // The recipient gets no reminder for times before the first event.
    var after = max(earliest - .milliseconds(1), facts.created?.time ?? now)
    var floor: Int64?
    var moved: [Occurrence] = []
    var bound = LoopBound("occurrences that a zone moved")
    while bound.countStep(),
      let next = context.nextOfSeries(
        reminder, item: item, after: after, beyond: floor, progress: progress),
      next.planned <= now
    {
      (after, floor) = (next.planned, next.key)
      guard let former = before.repeatingInstant(of: next.key, reminder), former > now,
        !progress.isDone(reminder.symbol, key: next.key)
      else { continue }
      moved.append(next)
    }
    return moved
  }
}

extension Facts {
  /// Returns whether a plan names a zone whose rules differ between two databases.
  fileprivate func hasPlanZone(from previous: ZoneDatabase, to zones: ZoneDatabase) -> Bool {
    guard previous.generation != zones.generation else { return false }
    return items.contains { item in
      item.details.contains { detail in
        guard let name = detail.plan?.zoneName else { return false }
        return (try? previous.zone(named: name)) != (try? zones.zone(named: name))
      }
    }
  }
}
