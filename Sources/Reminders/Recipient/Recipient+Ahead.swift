package import CivilTime

extension Recipient {
  /// What will happen up to an instant if nothing else is reported (rule L2): by the same functions
  /// that fire, on a clock that is wound forward.
  ///
  /// - Complexity: linear in what is pending, and in how often gates look at it until then.
  package func ahead(from now: Instant, through end: Instant, planner: Planner) -> [Firing] {
    var copy = self
    return copy.live(from: now, through: end, planner: planner, effort: .max)
  }

  /// The same as far as it can be had without making others wait (rule H6).
  ///
  /// - Parameter witness: told of what the gates are asked with, for those who explain.
  func foreseen(
    from now: Instant, through end: Instant, planner: Planner, witness: Witness? = nil
  ) -> [Firing] {
    var copy = self
    return copy.live(
      from: now, through: end, planner: planner, effort: effort, witness: witness)
  }

  /// How many verdicts are foreseen at most: 32 for each thing that waits, which is more than two
  /// weeks of days with a cap have. A thousand things that a minimum interval lets out one by one
  /// would take half a million.
  var effort: Int {
    4_096 + 32 * (progress.underWay.count + facts.requests.count + facts.items.count)
  }

  /// Lives on to an instant, but for forgetting the requests that are settled on the way: facts
  /// that are a little too many plan the same, for what is planned before the cutoff is past.
  ///
  /// - Parameter effort: after how many verdicts to stop.
  mutating func live(
    from now: Instant, through end: Instant, planner: Planner, effort: Int,
    witness: Witness? = nil
  ) -> [Firing] {
    let situation = Situation(facts: facts, planner: planner)
    var queue = PlannedQueue(self, in: situation)
    var firings: [Firing] = []
    var day: DayAhead?
    var effort = effort
    while effort > 0, let next = nextDue(queue).map({ max($0, now) }), next <= end {
      effort -=
        1
        + fire(
          now: next, from: &queue, &day, in: situation, firings: &firings, witness)
    }
    return firings
  }

  private func nextDue(_ queue: PlannedQueue) -> Instant? {
    guard let due = progress.underWay.first?.due else { return queue.next }
    return queue.next.map { min($0, due) } ?? due
  }

  /// - Returns: how many verdicts that took.
  private mutating func fire(
    now: Instant, from queue: inout PlannedQueue, _ day: inout DayAhead?, in situation: Situation,
    firings: inout [Firing], _ witness: Witness?
  ) -> Int {
    for due in queue.takeDue(by: now) {
      guard !due.reminder.isPlural else {
        startItems(due.occurrences, of: due.reminder, in: situation)
        continue
      }
      let next = startSeries(of: due.reminder, now: now, in: situation, firings: &firings)
      if let next { queue.add(next, after: due) }
    }
    progress.cutoff = max(progress.cutoff, now)
    return decideDue(
      now: now, in: situation, queue: queue, &day, firings: &firings, witness
    ).count
  }
}
