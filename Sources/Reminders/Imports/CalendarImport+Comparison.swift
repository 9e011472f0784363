package import CivilTime

extension CalendarImport {
  /// Returns for each event how it differs from the recipient's facts.
  package func comparisons(
    with recipient: Recipient, now: Instant, planner: Planner
  ) -> [CalendarComparison] {
    let context = PlanningContext(facts: recipient.facts, planner: planner)
    return entries.map { context.comparison(of: $0.event, now) }
  }
}

extension PlanningContext {
  fileprivate func comparison(of event: Event, _ now: Instant) -> CalendarComparison {
    guard case .report(let report) = event.content, let identifier = report.identifier,
      let index = facts.items(of: event.symbol, about: identifier).first
    else { return hasFutureOccurrence(event, now) ? .new : .past }
    let item = facts.items[index]
    if isEnded(index), !beginsAgain(event, after: item, now) { return .ended }
    return item.details == report.details ? .known : .changed
  }

  /// Returns whether a reminder would follow an event about a new entity. An event that no reminder
  /// plans from counts as followed.
  private func hasFutureOccurrence(_ event: Event, _ now: Instant) -> Bool {
    guard catalog.entityUse.planned.contains(event.symbol) else { return true }
    var eventFacts = facts
    eventFacts.items = []
    eventFacts.fold(event, order: .max, memory: nil)
    let context = PlanningContext(facts: eventFacts, planner: planner)
    return !context.openItems(Progress(cutoff: now)).isEmpty
  }

  /// Returns whether the item's series has ended by an event or by the recipient, for all reminders
  /// that are switched on. If all are switched off, they all count.
  private func isEnded(_ index: Int) -> Bool {
    let item = facts.items[index]
    let triggers = catalog.reminders.compactMap { reminder -> (Reminder, PlanTrigger)? in
      guard case .plan(let trigger) = reminder.trigger, trigger.event == item.type,
        reminder.repeated == nil, item.plan(trigger.field) != nil
      else { return nil }
      return (reminder, trigger)
    }
    let active = triggers.filter { isSwitchedOn($0.0) }
    let decisive = active.isEmpty ? triggers : active
    return !decisive.isEmpty
      && decisive.allSatisfy { run($1, of: $0, item: index)?.isStopped ?? true }
  }

  /// Returns whether an event begins on another date than the ended plan, and not before today.
  private func beginsAgain(_ event: Event, after item: Item, _ now: Instant) -> Bool {
    guard let first = event.plan?.first?.date else { return false }
    let former = item.details.lazy.compactMap(\.plan).first?.first?.date
    return first != former && first >= zone.date(at: now)
  }
}

extension Event {
  /// The first plan in the event's data; nil if there is none.
  var plan: EntityPlan? {
    guard case .report(let report) = content else { return nil }
    return report.details.lazy.compactMap(\.plan).first
  }
}

extension Detail {
  /// The plan; nil if the detail has a value of another kind.
  var plan: EntityPlan? {
    if case .plan(let plan) = value { plan } else { nil }
  }
}
