package import CivilTime

extension Recipient {
  /// What will happen up to an instant if nothing else is reported (rule L2): the same function
  /// that fires, on a clock that is wound forward.
  ///
  /// - Parameter witness: told of what the gates are asked with, for those who explain.
  package func ahead(
    from now: Instant, through end: Instant, planner: Planner, witness: Witness? = nil
  ) -> [Firing] {
    var copy = self
    return copy.live(from: now, through: end, planner: planner, witness: witness)
  }

  /// Lives on to an instant.
  mutating func live(
    from now: Instant, through end: Instant, planner: Planner, witness: Witness? = nil
  ) -> [Firing] {
    var situation = Situation(facts: facts, planner: planner)
    var firings: [Firing] = []
    var due = outlook(in: situation).due
    while let next = due.map({ max($0, now) }), next <= end {
      let requests = facts.requests.count
      let fired = fire(now: next, in: situation, witness: witness)
      if facts.requests.count != requests {
        situation = Situation(facts: facts, planner: planner)
      }
      firings += fired.firings
      due = fired.outlook.due
    }
    return firings
  }
}
