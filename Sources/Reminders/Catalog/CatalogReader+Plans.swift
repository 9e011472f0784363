import CivilTime
import Yams

extension CatalogReader {
  /// The event field that determines the series of each entity: a plan, or a date that recurs every
  /// year.
  struct PlanSource {
    /// The key in the catalog: `plan`, or `from` for a date that recurs every year.
    let key: String
    /// The node with the field's name.
    let field: Node
    /// The kind that the field must have.
    let kind: EventSchema.FieldKind
    /// See `PlanTrigger`.
    let times: TimesSource?
    let anniversaryLead: Int?
  }

  /// Reads `every: {plan: schedule, at: $times}` or `every: {year: {from: birthday, at: "09:00"}}`.
  ///
  /// - Returns: nil if `every` has neither.
  mutating func planSource(_ members: [String: Node], groups: [String]) -> PlanSource? {
    if let field = members["plan"] {
      let times = members["at"].flatMap { timesSource($0, groups: groups) }
      return PlanSource(key: "plan", field: field, kind: .plan, times: times, anniversaryLead: nil)
    }
    guard let year = members[Series.Unit.year.rawValue], let field = recurringField(year) else {
      return nil
    }
    let fields = self.members(year, of: "\"year\"", .anniversaries)
    let times = fields["at"].flatMap { timesSource($0, groups: groups) }
    return PlanSource(
      key: "from", field: field, kind: .date, times: times,
      anniversaryLead: fields["before"].flatMap { anniversaryLead($0) } ?? 0)
  }

  /// Returns whether the mapping of `every` gives each entity a series of its own.
  func hasSeriesPerEntity(_ every: Node) -> Bool {
    every["plan"] != nil || every[Series.Unit.year.rawValue].flatMap { recurringField($0) } != nil
  }

  /// Returns the node with the name of the field whose date recurs; nil if the mapping of `year`
  /// selects days itself.
  private func recurringField(_ year: Node) -> Node? {
    guard let body = year.mapping, body["spread"] == nil, body["on"] == nil,
      body["pick"] == nil, body["calendar"] == nil
    else { return nil }
    return body["from"]
  }

  private mutating func anniversaryLead(_ node: Node) -> Int? {
    members(node, of: "\"before\"", .dates)["days"].flatMap { dates($0, 366) }
  }

  /// Reads a reminder whose series follow from a field of the event in `since`.
  mutating func readPlan(
    _ draft: Draft, _ members: [String: Node], _ source: PlanSource, until: EventCondition?,
    pause: CalendarTrigger.Pause?
  ) {
    checkMembers(beside: members, source, draft)
    let schema = draft.members["since"].flatMap { self.schema($0) }
    let messages = messages(draft, placeholders(of: schema))
    let series = series(draft, unit: Series.Unit.day.rawValue, nil)
    checkUntil(draft, until, series)
    guard let event = plannedEvent(draft, source, schema, series) else { return }
    let trigger = PlanTrigger(
      event: event, field: Symbol(source.field.string ?? ""),
      anniversaryLead: source.anniversaryLead, defaultTimes: source.times, until: until,
      pause: pause, cancelledBy: series?.cancelledBy ?? [])
    add(draft, name: draft.name, trigger: .plan(trigger), messages: messages)
  }

  /// Reports members that have no effect beside a plan or a recurring date.
  private mutating func checkMembers(
    beside members: [String: Node], _ source: PlanSource, _ draft: Draft
  ) {
    for unit in Series.Unit.allCases {
      let isSource = source.kind == .date && unit == .year
      guard let node = members[unit.rawValue], !isSource else { continue }
      report(node, "\"\(unit.rawValue)\" cannot be used with \"\(source.key)\"")
    }
    if source.kind == .date, let node = members["at"] {
      report(node, "\"at\" beside \"every\" needs \"plan\"")
    }
    for name in ["smart", "upcoming"] {
      guard let node = draft.members[name] else { continue }
      report(node, "\"\(name)\" cannot be used with \"\(source.key)\"")
    }
    if let move = draft.members["skip"]?.mapping?["move"] {
      report(move, "\"move\" cannot be used with \"\(source.key)\"")
    }
  }

  /// Returns the type of the event in `since`, whose entities have a series each. Reports a missing
  /// or unsuitable event.
  private mutating func plannedEvent(
    _ draft: Draft, _ source: PlanSource, _ schema: EventSchema?, _ series: Series?
  ) -> Symbol? {
    let (key, kind) = (source.key, source.kind == .plan ? "plan" : "date")
    guard let since = draft.members["since"] else {
      report(source.field, "\"\(key)\" needs \"since\" with the event that carries the \(kind)")
      return nil
    }
    guard case .events(let events) = series?.start else {
      if series != nil { report(since, "\"since\" with \"\(key)\" must name an event") }
      return nil
    }
    guard let schema, events.count == 1, events[0].isPerEntity else {
      report(since, "\"since\" with \"\(key)\" must name one event with an identifier")
      return nil
    }
    let name = source.field.string ?? ""
    let known = schema.fields.filter { $0.kind == source.kind }.map(\.name)
    guard known.contains(name) else {
      let list = known.isEmpty ? "" : " (known: \(known.joined(separator: ", ")))"
      report(
        source.field,
        "\"\(name)\" is not a \(kind) that \(schema.type) carries" + hint(name, known) + list)
      return nil
    }
    return events[0].event
  }
}
