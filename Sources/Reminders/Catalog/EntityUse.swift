import CivilTime

/// What a catalog's reminders do with the entities that events are about: which events plan
/// something for each entity, and for how long conditions ask about one.
struct EntityUse: Sendable {
  /// The types of events that plan occurrences for each entity.
  private(set) var planned: Set<Symbol> = []
  private var memory: [Symbol: TimeSpan] = [:]

  /// For how long an entity that plans nothing is remembered unless a condition asks about it for
  /// longer. No vacation holds a reminder for longer.
  static let shortest = TimeSpan.days(45)
  /// Events of `from` and `until` count for ever.
  private static let longest = TimeSpan.days(366 * 100)

  init() {}

  init(of reminders: [Reminder]) {
    for reminder in reminders {
      switch reminder.trigger {
      case .items(let trigger): planned.insert(trigger.event)
      case .calendar(let trigger):
        if case .events(let events) = trigger.series?.start {
          planned.formUnion(events.filter(\.isPerEntity).map(\.event))
        }
        if let until = trigger.until { remember(until, for: Self.longest) }
        if let pause = trigger.pause { remember(pause.event, for: .days(pause.days + 1)) }
      case .after, .milestone, .idle, .request: break
      }
      if let from = reminder.terms?.from { remember(from, for: Self.longest) }
      if let having = reminder.terms?.having { remember(having.event, for: having.within) }
    }
  }

  /// How long after the last instant that its events name an entity is remembered.
  func memory(of type: Symbol) -> TimeSpan { memory[type] ?? Self.shortest }

  private mutating func remember(_ condition: EventCondition, for span: TimeSpan) {
    guard condition.isPerEntity else { return }
    memory[condition.event] = max(memory(of: condition.event), span)
  }
}

extension Catalog {
  /// Whether an event counts towards the limit of open entities. What another recipient's event
  /// says has been accepted there, and is never refused here.
  func isLimited(_ event: Event) -> Bool {
    guard case .report = event.content, entityUse.planned.contains(event.symbol) else {
      return false
    }
    return self.event(event.type).map { !$0.isCopy } ?? false
  }
}
