import CivilTime

/// Counts the open entities of a recipient, including the entities that one request adds. An entity
/// is open if it has an occurrence that is in the future, due or held by a gate.
struct EntityLimit: Sendable {
  /// The identifiers of the counted entities.
  private var identifiers: Set<ExactText> = []
  /// The number of counted entities without an identifier.
  private var unidentifiedCount = 0
  /// The counted entities that have a plan or many weeks, each with the number of plans as which it
  /// counts.
  private var planned: [ExactText: Int] = [:]
  /// The same number for each type of event whose entities have a plan or many weeks.
  private let planCounts: [Symbol: Int]
  /// The cutoff of the recipient's progress.
  private let cutoff: Instant

  /// Counts the entities of the open items. An event without an identifier that is remembered under
  /// several types counts once.
  init(open: [Item], _ cutoff: Instant, planCounts: [Symbol: Int]) {
    (self.cutoff, self.planCounts) = (cutoff, planCounts)
    for item in open where item.identifier != nil { add(item) }
    let identifiedStamps = open.lazy.filter { $0.identifier != nil }.map(\.stamp)
    let otherStamps = open.lazy.filter { $0.identifier == nil }.map(\.stamp)
    unidentifiedCount = Set(otherStamps).subtracting(identifiedStamps).count
  }

  var count: Int { identifiers.count + unidentifiedCount }

  private mutating func add(_ item: Item) {
    if let identifier = item.identifier {
      identifiers.insert(ExactText(identifier))
      guard let count = planCounts[item.type] else { return }
      planned[ExactText(identifier)] = max(planned[ExactText(identifier)] ?? 0, count)
    } else {
      unidentifiedCount += 1
    }
  }

  /// Counts the entity that an event opens. An event whose entity has no future occurrence opens
  /// none.
  mutating func note(_ event: Event, of facts: Facts, _ planner: Planner) {
    if let item = item(of: event, facts, planner), item.hasFutureOccurrence { add(item.item) }
  }

  /// Checks that an event opens no entity beyond the limit.
  ///
  /// - Throws: a refusal of the event.
  func check(_ event: Event, of facts: Facts, _ planner: Planner) throws(Refusal) {
    try checkPlans(event, facts, planner)
    guard count >= Facts.openEntitiesMax,
      let (item, hasFutureOccurrence) = item(of: event, facts, planner),
      hasFutureOccurrence || !item.areInstantsPast(cutoff)
    else { return }
    if let identifier = item.identifier, identifiers.contains(ExactText(identifier)) { return }
    throw Refusal(
      .overfull, path: "subject",
      "has \(count) open entities; at most \(Facts.openEntitiesMax) are allowed; cancel some, or "
        + "send the event again after the reminders of some entities were sent")
  }

  /// - Throws: a refusal if an event would add a plan beyond the limit.
  private func checkPlans(
    _ event: Event, _ facts: Facts, _ planner: Planner
  ) throws(Refusal) {
    let planCount = planned.values.reduce(0, +)
    guard let added = planCounts[event.symbol], planCount + added > EntityPlan.plansMax,
      let (item, hasFutureOccurrence) = item(of: event, facts, planner), hasFutureOccurrence,
      let identifier = item.identifier, planned[ExactText(identifier)] == nil
    else { return }
    throw Refusal(
      .overfull, path: "subject",
      "has \(planCount) plans; at most \(EntityPlan.plansMax) are allowed; end some, or add "
        + "the times to an existing plan")
  }

  /// Returns the item that an event creates, and whether that item has a future occurrence; nil if
  /// no reminder plans from the event.
  private func item(
    of event: Event, _ facts: Facts, _ planner: Planner
  ) -> (item: Item, hasFutureOccurrence: Bool)? {
    guard planner.catalog.entityUse.planned.contains(event.symbol) else { return nil }
    var eventFacts = facts
    eventFacts.items = []
    eventFacts.fold(event, order: .max, memory: nil)
    guard let item = eventFacts.items.first(where: { $0.type == event.symbol }) else { return nil }
    let context = PlanningContext(facts: eventFacts, planner: planner)
    return (item, !context.openItems(Progress(cutoff: cutoff)).isEmpty)
  }
}

extension Item {
  /// Returns whether all the item's instants are more than a day before `cutoff`, so that no
  /// reminder about the item is needed.
  fileprivate func areInstantsPast(_ cutoff: Instant) -> Bool { latestInstant < cutoff - .days(1) }
}
