import CivilTime
import Yams

extension CatalogReader {
  /// Reads `every: {plan: schedule, at: $times}` beside `since: medication.planned`.
  mutating func readPlan(
    _ draft: Draft, _ members: [String: Node], _ field: Node, until: EventCondition?,
    pause: CalendarTrigger.Pause?
  ) {
    checkMembers(beside: members, draft)
    let schema = draft.members["since"].flatMap { self.schema($0) }
    let messages = messages(draft, placeholders(of: schema))
    let defaultTimes = members["at"].flatMap { timesSource($0, groups: draft.groups) }
    let series = series(draft, unit: Series.Unit.day.rawValue, nil)
    checkUntil(draft, until, series)
    guard let event = plannedEvent(draft, field, schema, series) else { return }
    let trigger = PlanTrigger(
      event: event, field: Symbol(field.string ?? ""), defaultTimes: defaultTimes, until: until,
      pause: pause, cancelledBy: series?.cancelledBy ?? [])
    add(draft, name: draft.name, trigger: .plan(trigger), messages: messages)
  }

  /// Reports members that have no effect with a plan.
  private mutating func checkMembers(beside members: [String: Node], _ draft: Draft) {
    for unit in Series.Unit.allCases {
      guard let node = members[unit.rawValue] else { continue }
      report(node, "\"\(unit.rawValue)\" cannot be used with \"plan\"")
    }
    for name in ["smart", "upcoming"] {
      guard let node = draft.members[name] else { continue }
      report(node, "\"\(name)\" cannot be used with \"plan\"")
    }
    if let move = draft.members["skip"]?.mapping?["move"] {
      report(move, "\"move\" cannot be used with \"plan\"")
    }
  }

  /// Returns the event whose entities have the plans.
  private mutating func plannedEvent(
    _ draft: Draft, _ field: Node, _ schema: EventSchema?, _ series: Series?
  ) -> Symbol? {
    guard let since = draft.members["since"] else {
      report(field, "\"plan\" needs \"since\" with the event that carries the plan")
      return nil
    }
    guard case .events(let events) = series?.start else {
      if series != nil { report(since, "\"since\" with \"plan\" must name an event") }
      return nil
    }
    guard let schema, events.count == 1, events[0].isPerEntity else {
      report(since, "\"since\" with \"plan\" must name one event with an identifier")
      return nil
    }
    let name = field.string ?? ""
    let plans = schema.fields.filter { $0.kind == .plan }.map(\.name)
    guard plans.contains(name) else {
      let list = plans.isEmpty ? "" : " (known: \(plans.joined(separator: ", ")))"
      report(
        field,
        "\"\(name)\" is not a plan that \(schema.type) carries" + hint(name, plans) + list)
      return nil
    }
    return events[0].event
  }
}
