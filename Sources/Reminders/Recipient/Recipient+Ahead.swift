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
    var situation = Situation(facts: facts, planner: planner)
    var firings: [Firing] = []
    var due = copy.outlook(in: situation).due
    while let next = due.map({ max($0, now) }), next <= end {
      let requests = copy.facts.requests.count
      let fired = copy.fire(now: next, in: situation, witness: witness)
      if copy.facts.requests.count != requests {
        situation = Situation(facts: copy.facts, planner: planner)
      }
      firings += fired.firings
      due = fired.outlook.due
    }
    return firings
  }
}
