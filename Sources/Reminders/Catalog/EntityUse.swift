import CivilTime

/// The use of entities by a catalog's reminders: the types of events that plan occurrences for each
/// entity, and the times for which conditions need entities to be remembered.
struct EntityUse: Sendable {
  /// The types of events that plan occurrences for each entity.
  private(set) var planned: Set<Symbol> = []
  /// The types of events whose entities have a plan.
  private(set) var plans: Set<Symbol> = []
  /// The types of events that carry plans or start many weeks, each with the number of plans as
  /// which an entity counts. Plans have a limit of their own. Dates that recur (rule G22) do not
  /// count towards that limit.
  private(set) var planCounts: [Symbol: Int] = [:]
  /// How long entities are remembered, by type of event, if longer than `memoryMin`.
  private var memory: [Symbol: TimeSpan] = [:]

  /// The time for which an entity without planned occurrences is remembered, unless a condition
  /// needs more. No vacation holds reminders for longer than this time.
  static let memoryMin = TimeSpan.days(45)
  /// The time for which entities of events in `from` and `until` are remembered, because these
  /// events count forever.
  private static let memoryMax = TimeSpan.days(366 * 100)
  /// The maximum number of weeks that reminders count from one event without the limit of plans.
  /// Each planning computes all weeks of all open entities.
  private static let unlimitedWeeksMax = 24
  /// The number of weeks that count as one plan: as many as one reminder may have.
  private static let weeksPerPlan = 100

  init() {}

  init(of reminders: [Reminder]) {
    var weekCounts: [Symbol: Int] = [:]
    for reminder in reminders {
      switch reminder.trigger {
      case .items(let trigger):
        planned.insert(trigger.event)
        weekCounts[trigger.event, default: 0] += trigger.weekCount
      case .calendar(let trigger):
        if case .events(let events) = trigger.series?.start {
          planned.formUnion(events.filter(\.isPerEntity).map(\.event))
        }
        remember(until: trigger.until, trigger.pause)
      case .plan(let trigger):
        planned.insert(trigger.event)
        plans.insert(trigger.event)
        if trigger.anniversaryLead == nil { planCounts[trigger.event] = 1 }
        remember(until: trigger.until, trigger.pause)
      case .after, .milestone, .idle, .request: break
      }
      if let from = reminder.terms?.from { remember(from, for: Self.memoryMax) }
      if let having = reminder.terms?.having { remember(having.event, for: having.within) }
    }
    for (type, count) in weekCounts where count > Self.unlimitedWeeksMax {
      let planCount = (count + Self.weeksPerPlan - 1) / Self.weeksPerPlan
      planCounts[type] = min(planCount, EntityPlan.plansMax)
    }
  }

  /// Returns how long an entity is remembered after the last instant in its events.
  func memory(of type: Symbol) -> TimeSpan { memory[type] ?? Self.memoryMin }

  private mutating func remember(until: EventCondition?, _ pause: CalendarTrigger.Pause?) {
    if let until { remember(until, for: Self.memoryMax) }
    if let pause { remember(pause.event, for: .days(pause.days + 1)) }
  }

  private mutating func remember(_ condition: EventCondition, for span: TimeSpan) {
    guard condition.isPerEntity else { return }
    for event in condition.events { memory[event] = max(memory(of: event), span) }
  }
}

extension Catalog {
  /// Returns whether an event counts towards the limit of open entities. A copy does not count,
  /// because it was accepted together with the other recipient's event and is never rejected.
  func isLimited(_ event: Event) -> Bool {
    guard case .report = event.content, entityUse.planned.contains(event.symbol) else {
      return false
    }
    return self.event(event.type).map { !$0.isCopy } ?? false
  }

  /// Returns whether an event may exceed a limit of entities.
  ///
  /// - Parameter itemCount: the number of reports that the recipient's facts remember.
  func mayExceedLimit(_ event: Event, itemCount: Int) -> Bool {
    guard itemCount < Facts.openEntitiesMax else { return isLimited(event) }
    guard let planCount = entityUse.planCounts.values.max(),
      entityUse.planCounts[event.symbol] != nil
    else { return false }
    return (itemCount + 1) * planCount > EntityPlan.plansMax && isLimited(event)
  }
}

extension ItemTrigger {
  /// The number of the trigger's weeks (rule G23); 0 for another trigger.
  fileprivate var weekCount: Int {
    guard countsWeeks, case .datesBefore(_, .fixed(let counts), _) = timing else { return 0 }
    return counts.count
  }
}
