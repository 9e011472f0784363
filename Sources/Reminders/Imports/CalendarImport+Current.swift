package import CivilTime

extension CalendarImport {
  /// Returns for each event whether the recipient has its plan now. A known event is not current if
  /// its entity was ended, if another version came later, or if the recipient was erased since. An
  /// event without a dose after today is current.
  package func areCurrent(
    for recipient: Recipient, now: Instant, planner: Planner
  ) -> [Bool] {
    let context = PlanningContext(facts: recipient.facts, planner: planner)
    let open = context.openItems(recipient.progress).map { recipient.facts.items[$0] }
    let items = Dictionary(
      open.compactMap { item in item.identifier.map { (ExactText($0), item) } }
        .filter { $1.type == entries.first?.event.symbol },
      uniquingKeysWith: { first, _ in first })
    return entries.map { entry in
      guard planner.catalog.entityUse.plans.contains(entry.event.symbol),
        let plan = entry.event.plan, let identifier = entry.event.entity,
        plan.firstDate(from: context.zone.date(at: now) + 2) != nil
      else { return true }
      return items[ExactText(identifier)]?.plans.contains(plan) == true
    }
  }
}

extension Event {
  /// The first plan that the event carries; nil if it carries none.
  var plan: EntityPlan? {
    guard case .report(let report) = content else { return nil }
    return report.details.lazy.compactMap(\.plan).first
  }
}

extension Item {
  fileprivate var plans: [EntityPlan] { details.compactMap(\.plan) }
}

extension Detail {
  fileprivate var plan: EntityPlan? {
    if case .plan(let plan) = value { plan } else { nil }
  }
}
