/// The delivered notifications that the events of a request have ended (rule D16). The events would
/// drop a notification's delivery if it still waited, or have ended its repetitions.
///
/// A change of settings, or the end of a series by the recipient, ends no delivered notification.
/// So both contexts have the settings and the ended series from before the request. A notification
/// that had ended before the request does not count. Otherwise an unrelated event would withdraw
/// it, if the facts have forgotten its entity since.
package struct EndedDeliveries {
  /// The contexts before and after the events.
  private typealias Change = (former: PlanningContext, current: PlanningContext)

  private let changes: [Change]

  /// - Parameters:
  ///   - former: the context before the events.
  ///   - current: the context after the events.
  package init(since former: PlanningContext, in current: PlanningContext) {
    let current = current.withSettings(of: former)
    var changes = [(former, current)]
    // A muted entity may have got its notification before it was muted. So the contexts are also
    // compared without muting.
    if !former.facts.entitySettings.isEmpty {
      changes.append((former.ofSentDeliveries, current.ofSentDeliveries))
    }
    self.changes = changes
  }

  /// Returns whether the events have ended a delivered notification.
  package func contains(_ delivery: Delivery) -> Bool {
    changes.contains { change in
      if change.current.isObsolete(delivery) { return !change.former.isObsolete(delivery) }
      let catalog = change.current.catalog
      guard let reminder = catalog.reminder(Symbol(delivery.reminder)) else { return false }
      return catalog.chain(of: reminder).lazy.compactMap(catalog.reminder).contains { member in
        var other = delivery
        other.message = Message(
          reminder: catalog.name(of: member), category: delivery.category, title: "", body: "")
        return change.current.isObsolete(other) && !change.former.isObsolete(other)
      }
    }
  }
}

extension PlanningContext {
  /// Returns this context with the settings and the ended series of another one.
  fileprivate func withSettings(of other: PlanningContext) -> PlanningContext {
    var facts = facts
    (facts.settings, facts.entitySettings) = (other.facts.settings, other.facts.entitySettings)
    (facts.stops, facts.entityStops) = (other.facts.stops, other.facts.entityStops)
    return facts == self.facts ? self : PlanningContext(facts: facts, planner: planner)
  }
}
