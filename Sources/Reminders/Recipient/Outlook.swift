package import CivilTime

/// What is planned for a person while nothing is reported, to be lived through from instant to
/// instant.
package struct Outlook: Sendable {
  package let context: PlanningContext
  var queue: PlannedQueue
}

extension Recipient {
  /// - Parameter context: made of these very facts.
  package func outlook(in context: PlanningContext) -> Outlook {
    Outlook(context: context, queue: PlannedQueue(self, in: context))
  }

  /// When something has to be done next.
  package func nextDue(_ outlook: Outlook) -> Instant? {
    guard let due = progress.underWay.first?.due else { return outlook.queue.next }
    return outlook.queue.next.map { min($0, due) } ?? due
  }

  /// Fires what is due at `now`: what comes of it is what comes of the facts alone. What waits for
  /// a slot is told of each time it is asked, as by all who look ahead.
  ///
  /// The outlook stays true until something is reported: requests that are settled leave the facts
  /// and not the outlook, where they are past.
  package mutating func fire(now: Instant, by outlook: inout Outlook) -> [Firing] {
    var firings: [Firing] = []
    let start = progress.cutoff
    startDue(now: now, by: &outlook, firings: &firings)
    decideAllDue(
      now: now, since: start, in: outlook.context, planned: .queue(outlook.queue),
      firings: &firings, nil)
    return firings
  }

  /// Puts under way what is planned up to `now`.
  mutating func startDue(now: Instant, by outlook: inout Outlook, firings: inout [Firing]) {
    for due in outlook.queue.takeDue(by: now) {
      guard !due.reminder.isPlural else {
        startItems(due.occurrences, of: due.reminder, in: outlook.context)
        continue
      }
      let next = startSeries(
        of: due.reminder, now: now, in: outlook.context, firings: &firings)
      if let next { outlook.queue.add(next, after: due) }
    }
    progress.cutoff = max(progress.cutoff, now)
  }
}
