package import CivilTime

extension Recipient {
  /// Simulates the time up to an instant as if no further event arrived (rule L2). It uses the
  /// functions that fire occurrences.
  ///
  /// - Complexity: linear in the pending occurrences, and in the evaluations of gates up to `end`.
  package func ahead(from now: Instant, through end: Instant, planner: Planner) -> [Firing] {
    var copy = self
    return copy.live(from: now, through: end, planner: planner, effort: .max)
  }

  /// Simulates the time up to an instant, or until `effort` is used up, so that other recipients do
  /// not wait (rule H6).
  ///
  /// - Parameter observer: a function that is called with the inputs of the gates, for
  ///   explanations.
  package func foreseen(
    from now: Instant, through end: Instant, planner: Planner, observer: GateObserver? = nil
  ) -> [Firing] {
    var copy = self
    return copy.live(
      from: now, through: end, planner: planner, effort: effort, observer: observer)
  }

  /// The maximum number of verdicts that `firstSent` simulates.
  private static let glance = 256

  /// Returns the first notification sent up to an instant; nil if `glance` verdicts do not include
  /// one.
  package func firstSent(
    from now: Instant, through end: Instant, planner: Planner
  ) -> Firing? {
    var copy = self
    let firings = copy.live(from: now, through: end, planner: planner, effort: Self.glance)
    return firings.first(where: \.isSent)
  }

  /// The maximum number of simulated verdicts: 4,096, and 32 for each pending entry. Two weeks with
  /// a daily cap need fewer. Without the limit, a thousand occurrences with a minimum interval
  /// would need half a million.
  var effort: Int {
    4_096 + 32 * (progress.inProgress.count + facts.requests.count + facts.items.count)
  }

  /// Simulates the time up to an instant, and leaves requests that finish meanwhile in the facts.
  /// These do not change the plan, because they are planned before the cutoff.
  ///
  /// - Parameters:
  ///   - effort: the maximum number of verdicts.
  ///   - exemption: the occurrence that is decided without some of its gates.
  mutating func live(
    from now: Instant, through end: Instant, planner: Planner, effort: Int,
    exempting exemption: GateExemption? = nil, observer: GateObserver? = nil
  ) -> [Firing] {
    let context = PlanningContext(facts: facts, planner: planner, exempting: exemption)
    var outlook = outlook(in: context)
    var firings: [Firing] = []
    var day: DayAhead?
    var effort = effort
    while effort > 0, let next = nextDue(outlook).map({ max($0, now) }), next <= end {
      startDue(now: next, by: &outlook, firings: &firings)
      let decided = decideDue(
        now: next, in: outlook.context, planned: .queue(outlook.queue), &day, firings: &firings,
        observer)
      effort -= 1 + decided.count
    }
    return firings
  }
}
