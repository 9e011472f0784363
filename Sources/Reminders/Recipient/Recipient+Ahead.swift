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
  /// - Parameter observer: told of what the gates are asked with, for those who explain.
  package func foreseen(
    from now: Instant, through end: Instant, planner: Planner, observer: GateObserver? = nil
  ) -> [Firing] {
    var copy = self
    return copy.live(
      from: now, through: end, planner: planner, effort: effort, observer: observer)
  }

  /// How many verdicts a look at what goes next takes.
  private static let glance = 256

  /// Returns the first thing that goes out up to an instant, as far as a glance shows it.
  package func firstSent(
    from now: Instant, through end: Instant, planner: Planner
  ) -> Firing? {
    var copy = self
    let firings = copy.live(from: now, through: end, planner: planner, effort: Self.glance)
    return firings.first(where: \.isSaid)
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
  /// - Parameters:
  ///   - effort: after how many verdicts to stop.
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
