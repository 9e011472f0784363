package import CivilTime

/// Determines which delivered notifications the events of a request have ended (rule D16). Events
/// end a notification if they would drop its delivery while it waits, or if they end its
/// repetitions.
///
/// Settings and ended series end no delivered notification, so those from before the request are
/// used. If the recipient had already ended a series, an event can still end its notification.
/// Earlier events do not count: the facts may have forgotten an entity since, and then an unrelated
/// event would withdraw its notification.
package struct EndedDeliveries {
  /// The age from which a notification is no longer withdrawn.
  package static let ageMax = TimeSpan.days(7)
  /// The maximum number of a recipient's latest notifications that are examined.
  package static let examinedMax = 32

  /// The contexts before and after the events.
  private typealias Change = (former: PlanningContext, current: PlanningContext)

  private let changes: [Change]

  /// - Parameters:
  ///   - former: the context before the events.
  ///   - current: the context after the events.
  package init(since former: PlanningContext, in current: PlanningContext) {
    var changes = [(former, current.withSettings(of: former))]
    // A notification may have been sent before its series ended, or before its entity was muted. So
    // the contexts are also compared without ended series and without muted entities.
    if !(former.facts.stops.isEmpty && former.facts.entityStops.isEmpty) {
      changes.append((former.withoutStops, changes[0].1.withoutStops))
    }
    if !former.facts.entitySettings.isEmpty {
      changes += changes.map { ($0.contextOfSentDeliveries, $1.contextOfSentDeliveries) }
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
    return facts == self.facts ? self : with(facts)
  }

  /// Returns this context without ended series.
  fileprivate var withoutStops: PlanningContext {
    var facts = facts
    (facts.stops, facts.entityStops) = ([], [])
    return with(facts)
  }

  /// Returns a context with these facts in the same zones.
  private func with(_ facts: Facts) -> PlanningContext {
    PlanningContext(facts: facts, planner: planner, zone: zone, zones: zones)
  }
}
