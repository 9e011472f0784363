package import CivilTime

/// The planned occurrences of a recipient as long as no event arrives, for a simulation from
/// instant to instant.
package struct Outlook: Sendable {
  /// The context of the facts from which the occurrences are planned.
  package let context: PlanningContext
  /// The planned occurrences in order of time.
  var queue: PlannedQueue
}

extension Recipient {
  /// Returns the recipient's outlook.
  ///
  /// - Parameter context: a context with the recipient's current facts.
  package func outlook(in context: PlanningContext) -> Outlook {
    Outlook(context: context, queue: PlannedQueue(self, in: context))
  }

  /// Returns the next instant at which an occurrence is due.
  package func nextDue(_ outlook: Outlook) -> Instant? {
    guard let due = progress.inProgress.first?.due else { return outlook.queue.next }
    return outlook.queue.next.map { min($0, due) } ?? due
  }

  /// Fires the occurrences that are due at `now`. As in every simulation, the result contains a
  /// firing for each evaluation of the gates, even if they hold the occurrence.
  ///
  /// The outlook stays valid until an event arrives. Finished requests leave the facts but stay in
  /// the outlook, without effect because their instants are past.
  package mutating func fire(now: Instant, by outlook: inout Outlook) -> [Firing] {
    var firings: [Firing] = []
    let start = progress.cutoff
    startDue(now: now, by: &outlook, firings: &firings)
    decideAllDue(
      now: now, since: start, in: outlook.context, planned: .queue(outlook.queue),
      firings: &firings, nil)
    return firings
  }

  /// Starts the occurrences planned up to `now`.
  mutating func startDue(now: Instant, by outlook: inout Outlook, firings: inout [Firing]) {
    for due in outlook.queue.takeDue(by: now) {
      guard due.occurrences.isEmpty else {
        startItems(remaining(of: due), of: due.reminder, in: outlook.context)
        continue
      }
      let next = startSeries(
        of: due.reminder, due.item, now: now, in: outlook.context, firings: &firings)
      if let next { outlook.queue.add(next, after: due) }
    }
    progress.cutoff = max(progress.cutoff, now)
  }

  /// Returns the due occurrences, except messages to other people that were delayed before. Such a
  /// message is already due, held, cancelled or finished.
  private func remaining(of due: PlannedQueue.Due) -> [Occurrence] {
    guard due.reminder.relay != nil else { return due.occurrences }
    return due.occurrences.filter { !progress.isDone(due.reminder.symbol, key: $0.key) }
  }
}
