import CivilTime
import Yams

extension CatalogReader {
  // MARK: - After

  /// Reads `after: {event: lesson.completed, highest: day, delay: 24h}`,
  /// `after: {event: relapse, next: $time}`, `after: {event: dose.missed, at: "08:00"}` or
  /// `after: {event: streak.started, days: $threshold, at: "10:00"}`.
  mutating func readAfter(_ draft: Draft, _ node: Node) {
    let parts = members(node, of: "\"after\"", .after)
    let event = parts["event"].flatMap { self.event($0) }
    let schema = self.schema(parts["event"])
    var names = placeholders(of: schema, distance: "since")
    if parts["days"] != nil { names["days"] = .number }
    var field: String?
    if let highest = parts["highest"] { field = highestField(highest, of: schema) }
    if let field { names.merge([field: .number, "next": .next]) { $1 } }
    let below = field.flatMap { field in
      draft.parts["while"].flatMap { self.below($0, field: field) }
    }
    let cancellations = cancellations(
      draft.parts["cancel"], of: parts["event"], isLatest: field == nil)
    var draft = draft
    draft.options.data = dataConditions(draft.parts["where"], of: schema, groups: draft.groups)
    if let node = draft.parts["where"], parts["highest"] != nil {
      report(node, "\"where\" cannot be used with \"highest\"")
    }
    let messages = messages(draft, names)
    guard let event, let delay = delay(parts, of: "after", node, groups: draft.groups) else {
      return
    }
    var trigger = AfterTrigger(
      event: event, onlyHighest: field != nil, delay: delay, below: below,
      cancelledBy: cancellations)
    if !draft.options.data.isEmpty {
      trigger.match = EventSelection(
        type: Symbol("\(draft.name) where"), conditions: draft.options.data,
        identifierField: schema?.identifierField.map { Symbol($0.name) })
    }
    let isAboutFields = messages?.contains(where: \.namesFields) ?? false
    if isAboutFields || trigger.match != nil { catalog.keepLatest(1, of: event) }
    if let match = trigger.match { catalog.keepMatches(match, of: event) }
    if field != nil, isAboutFields || schema?.identifierField != nil {
      trigger.peakType = catalog.keepHighest(of: event)
    }
    checkConditions(
      of: draft, following: event, delay, isLatest: field == nil && trigger.match == nil)
    add(draft, name: draft.name, trigger: .after(trigger), messages: messages)
  }

  private mutating func highestField(_ node: Node, of schema: EventSchema?) -> String? {
    let name = node.string ?? ""
    let known = (schema?.fields ?? []).compactMap { field in
      if case .rememberedNumber(let number) = field.kind, number.memory == .highest {
        field.name
      } else {
        nil
      }
    }
    if known.contains(name) { return name }
    // An unknown event has been reported already.
    if schema != nil {
      report(node, "\"\(name)\" is not a number that the event carries" + hint(name, known))
    }
    return nil
  }

  /// Reads `while: {day: {below: 30}}`.
  private mutating func below(_ node: Node, field: String) -> Int64? {
    let keys = MappingKeys([.required(field, .mapping(.limit), "The field of the event.")])
    let parts = members(node, of: "\"while\"", keys)
    guard let body = parts[field] else { return nil }
    let limit = members(body, of: "\"\(field)\"", .limit)
    return limit["below"].flatMap { number($0, "below") }
  }

  /// Reads one of `delay: 24h`, `next: $time`, `at: $time` and `days: 3, at: $time`.
  private mutating func delay(
    _ parts: [String: Node], of what: String, _ node: Node, groups: [String]
  ) -> Delay? {
    switch (parts["delay"], parts["next"], parts["days"]) {
    case (let elapsed?, nil, nil):
      if let at = parts["at"] { report(at, "\"at\" cannot be used with \"delay\"") }
      return spanSource(elapsed, "delay", groups: groups).map { .elapsed($0) }
    case (nil, let next?, nil):
      if let at = parts["at"] { report(at, "\"at\" cannot be used with \"next\"") }
      return timeSource(next, groups: groups).map { .nextDate($0) }
    case (nil, nil, let days?):
      let days = countsSource(days, "days", groups: groups, exactlyOne: true)
      guard let at = parts["at"] else {
        report(node, "\"days\" needs \"at\"")
        return nil
      }
      guard let time = timeSource(at, groups: groups), let days else { return nil }
      return .dates(days, time)
    case (nil, nil, nil) where parts["at"] != nil:
      return parts["at"].flatMap { timeSource($0, groups: groups) }.map { .nextTime($0) }
    default:
      report(node, "\"\(what)\" needs one of \"delay\", \"next\", \"at\" and \"days\"")
      return nil
    }
  }

  // MARK: - On

  /// Reads `on: {event: content.published, delay: 1s}`: one occurrence for each event.
  mutating func readEach(_ draft: Draft, _ node: Node) {
    let parts = members(node, of: "\"on\"", .on)
    let event = parts["event"].flatMap { self.event($0) }
    let schema = self.schema(parts["event"])
    var names = placeholders(of: schema, distance: "since")
    if parts["days"] != nil { names["days"] = .number }
    var draft = draft
    let replacement = draft.parts["replacedBy"].flatMap { self.replacement($0, of: schema) }
    draft.options.replacedBy = replacement?.event
    draft.options.batch = parts["batch"].flatMap { batch($0, of: schema) }
    draft.options.link = draft.parts["opens"].flatMap { link($0, of: schema) }
    if let flags = draft.parts["flags"] { readFlags(flags, &draft.options.link) }
    draft.options.data = dataConditions(draft.parts["where"], of: schema, groups: draft.groups)
    let cancellations =
      cancellations(draft.parts["cancel"], of: parts["event"]) + [replacement].compactMap(\.self)
    let messages = messages(draft, names)
    guard let event, let delay = delay(parts, of: "on", node, groups: draft.groups) else { return }
    catalog.keepLatest(Facts.reportsMax, of: event)
    checkConditions(of: draft, following: event, delay, isLatest: false)
    let trigger = ItemTrigger(event: event, timing: .after(delay), cancelledBy: cancellations)
    add(draft, name: draft.name, trigger: .items(trigger), messages: messages)
  }

  // MARK: - Before and past

  /// Reads `before: {event: appointment.booked, at: at, by: $advance}` or `before: {event:
  /// trial.started, at: ends, days: [3, 1], time: $time}`, and the same forms with `past`.
  ///
  /// - Parameter what: `before` or `past`.
  mutating func readBefore(_ draft: Draft, _ what: String, _ node: Node) {
    let parts = members(node, of: "\"\(what)\"", .before)
    let event = parts["event"].flatMap { self.event($0) }
    let schema = self.schema(parts["event"])
    let field = parts["at"].flatMap { instantField($0, of: schema) }
    var names = placeholders(of: schema, distance: what == "before" ? "until" : "since")
    if parts["by"] != nil { names["hours"] = .number }
    if parts["days"] != nil { names["days"] = .number }
    let cancellations = cancellations(draft.parts["cancel"], of: parts["event"])
    var draft = draft
    draft.options.data = dataConditions(draft.parts["where"], of: schema, groups: draft.groups)
    let messages = messages(draft, names)
    let timing = timing(parts, of: what, node, field: field ?? Symbol(""), groups: draft.groups)
    guard let event, field != nil, let timing else { return }
    catalog.keepLatest(Facts.reportsMax, of: event)
    let trigger = ItemTrigger(
      event: event, timing: timing, cancelledBy: cancellations, isPast: what == "past")
    checkUpcoming(draft, trigger)
    add(draft, name: draft.name, trigger: .items(trigger), messages: messages)
  }

  private mutating func timing(
    _ parts: [String: Node], of what: String, _ node: Node, field: Symbol, groups: [String]
  ) -> ItemTrigger.Timing? {
    switch (parts["by"], parts["days"]) {
    case (let by?, nil):
      if let time = parts["time"] { report(time, "\"time\" cannot be used with \"by\"") }
      return advance(by, field: field, groups: groups)
    case (nil, let days?):
      let days = countsSource(days, "days", groups: groups, exactlyOne: false)
      guard let time = parts["time"] else {
        report(node, "\"days\" needs \"time\"")
        return nil
      }
      guard let time = timeSource(time, groups: groups), let days else { return nil }
      return .datesBefore(field: field, days, time)
    default:
      report(node, "\"\(what)\" needs one of \"by\" and \"days\"")
      return nil
    }
  }

  /// Reads `by: $advance`, where the parameter is in hours or a duration, `by: 30m` or `by: [24h,
  /// 2h]`.
  private mutating func advance(
    _ node: Node, field: Symbol, groups: [String]
  ) -> ItemTrigger.Timing? {
    if isSpan(node, groups: groups) {
      return spanSource(node, "by", groups: groups).map { .spansBefore(field: field, [$0]) }
    }
    if node.string?.hasPrefix("$") == true {
      return countsSource(node, "by", groups: groups, exactlyOne: false).map {
        .hoursBefore(field: field, $0)
      }
    }
    let nodes = node.sequence.map(Array.init) ?? [node]
    let spans = nodes.compactMap { span($0, "by") }
    if nodes.isEmpty { report(node, "\"by\" must give a duration") }
    guard !spans.isEmpty, spans.count == nodes.count else { return nil }
    return .spansBefore(field: field, Set(spans).sorted().map { .fixed($0) })
  }

  /// Returns whether the parameter "$name" is declared as a duration. Reports no mistakes.
  private func isSpan(_ node: Node, groups: [String]) -> Bool {
    guard let name = node.string, name.hasPrefix("$") else { return false }
    var reader = self
    let setting = reader.parameter(node, String(name.dropFirst()), groups, written: name)
    guard let setting, case .span = catalog.settings.definitions[setting].kind else { return false }
    return true
  }

  mutating func instantField(_ node: Node, of schema: EventSchema?) -> Symbol? {
    let name = node.string ?? ""
    let known = (schema?.fields ?? []).filter { $0.kind == .instant }.map(\.name)
    if known.contains(name) { return Symbol(name) }
    if let schema {
      let names = known.isEmpty ? "" : " (known: \(known.joined(separator: ", ")))"
      report(
        node,
        "\"\(name)\" is not an instant that \(schema.type) carries" + hint(name, known) + names)
    }
    return nil
  }

  // MARK: - Cancelling

  /// Returns the events that cancel the occurrences that an event plans, including the event's
  /// withdrawals.
  ///
  /// - Parameters:
  ///   - event: the event that plans the occurrences. It cannot also cancel them.
  ///   - isLatest: whether an occurrence always follows the latest event of the type.
  mutating func cancellations(
    _ node: Node?, of event: Node?, isLatest: Bool = false
  ) -> [EventCondition] {
    let withdrawals = withdrawals(of: [event].compactMap(\.self))
    let conditions = eventConditions(node) + withdrawals
    guard let node, let schema = schema(event) else { return conditions }
    let own = Symbol(schema.type)
    if conditions.contains(where: { $0.event == own && ($0.isPerEntity || isLatest) }) {
      report(
        node,
        "\"cancel\" can never match: \(event?.string ?? "") would have to be later than itself")
    }
    return conditions
  }
}
