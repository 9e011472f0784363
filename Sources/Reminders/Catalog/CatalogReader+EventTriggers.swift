import CivilTime
import Yams

extension CatalogReader {
  // MARK: - After

  /// Reads `after: {event: lesson.completed, highest: day, delay: 24h}`,
  /// `after: {event: relapse, next: $time}`, `after: {event: dose.missed, at: "08:00"}` or
  /// `after: {event: streak.started, days: $threshold, at: "10:00"}`.
  mutating func readAfter(_ draft: Draft, _ node: Node) {
    let members = members(node, of: "\"after\"", .after)
    let event = members["event"].flatMap { self.event($0) }
    let schema = self.schema(members["event"])
    var placeholders = placeholders(of: schema, distance: "since")
    if members["days"] != nil { placeholders["days"] = .number }
    var field: String?
    if let highest = members["highest"] { field = highestField(highest, of: schema) }
    if let field { placeholders.merge([field: .number, "next": .next]) { $1 } }
    let below = field.flatMap { field in
      draft.members["while"].flatMap { self.below($0, field: field) }
    }
    let cancellations = cancellations(
      draft.members["cancel"], of: members["event"], isLatest: field == nil)
    var draft = draft
    draft.options.data = dataConditions(draft.members["where"], of: schema, groups: draft.groups)
    if let node = draft.members["where"], members["highest"] != nil {
      report(node, "\"where\" cannot be used with \"highest\"")
    }
    let messages = messages(draft, placeholders)
    guard let event, let delay = delay(members, of: "after", node, groups: draft.groups) else {
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
    let isAboutFields =
      messages?.contains(where: \.namesFields) ?? false
      || draft.options.actions.contains(where: \.namesFields)
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
    let numberFields = (schema?.fields ?? []).compactMap { field in
      if case .rememberedNumber(let number) = field.kind, number.memory == .highest {
        field.name
      } else {
        nil
      }
    }
    if numberFields.contains(name) { return name }
    // An unknown event has been reported already.
    if schema != nil {
      report(
        node, "\"\(name)\" is not a number that the event carries" + hint(name, numberFields))
    }
    return nil
  }

  /// Reads `while: {day: {below: 30}}`.
  private mutating func below(_ node: Node, field: String) -> Int64? {
    let keys = MappingKeys([.required(field, .mapping(.limit), "The field of the event.")])
    let members = members(node, of: "\"while\"", keys)
    guard let body = members[field] else { return nil }
    let limit = self.members(body, of: "\"\(field)\"", .limit)
    return limit["below"].flatMap { number($0, "below") }
  }

  /// Reads one of `delay: 24h`, `next: $time`, `at: $time` and `days: 3, at: $time`.
  private mutating func delay(
    _ members: [String: Node], of trigger: String, _ node: Node, groups: [String]
  ) -> Delay? {
    switch (members["delay"], members["next"], members["days"]) {
    case (let elapsed?, nil, nil):
      if let at = members["at"] { report(at, "\"at\" cannot be used with \"delay\"") }
      return spanSource(elapsed, "delay", groups: groups).map { .elapsed($0) }
    case (nil, let next?, nil):
      if let at = members["at"] { report(at, "\"at\" cannot be used with \"next\"") }
      return timeSource(next, groups: groups).map { .nextDate($0) }
    case (nil, nil, let days?):
      let days = countsSource(days, "days", groups: groups, exactlyOne: true)
      guard let at = members["at"] else {
        report(node, "\"days\" needs \"at\"")
        return nil
      }
      guard let time = timeSource(at, groups: groups), let days else { return nil }
      return .dates(days, time)
    case (nil, nil, nil) where members["at"] != nil:
      return members["at"].flatMap { timeSource($0, groups: groups) }.map { .nextTime($0) }
    default:
      report(node, "\"\(trigger)\" needs one of \"delay\", \"next\", \"at\" and \"days\"")
      return nil
    }
  }

  // MARK: - On

  /// Reads `on: {event: content.published, delay: 1s}`: one occurrence for each event.
  mutating func readOnEvent(_ draft: Draft, _ node: Node) {
    let members = members(node, of: "\"on\"", .on)
    let event = members["event"].flatMap { self.event($0) }
    let schema = self.schema(members["event"])
    var placeholders = placeholders(of: schema, distance: "since")
    if members["days"] != nil { placeholders["days"] = .number }
    var draft = draft
    let replacement = draft.members["replacedBy"].flatMap { self.replacement($0, of: schema) }
    draft.options.replacedBy = replacement?.event
    draft.options.batch = members["batch"].flatMap { batch($0, of: schema) }
    draft.options.link = draft.members["opens"].flatMap { link($0, of: schema) }
    if let flags = draft.members["flags"] { readFlags(flags, &draft.options.link) }
    draft.options.data = dataConditions(draft.members["where"], of: schema, groups: draft.groups)
    let cancellations =
      cancellations(draft.members["cancel"], of: members["event"])
      + [replacement].compactMap(\.self)
    let messages = messages(draft, placeholders)
    guard let event, let delay = delay(members, of: "on", node, groups: draft.groups) else {
      return
    }
    catalog.keepLatest(Facts.reportsMax, of: event)
    checkConditions(of: draft, following: event, delay, isLatest: false)
    let trigger = ItemTrigger(event: event, timing: .after(delay), cancelledBy: cancellations)
    add(draft, name: draft.name, trigger: .items(trigger), messages: messages)
  }

  // MARK: - Before and past

  /// Reads `before: {event: appointment.booked, at: at, by: $advance}` or `before: {event:
  /// trial.started, at: ends, days: [3, 1], time: $time}`, the second form with `weeks`, and all
  /// these forms with `past`. A date has only the forms with `days` and `weeks`.
  ///
  /// - Parameter triggerName: `before` or `past`.
  mutating func readBefore(_ draft: Draft, _ triggerName: String, _ node: Node) {
    let members = members(node, of: "\"\(triggerName)\"", .before)
    let event = members["event"].flatMap { self.event($0) }
    let schema = self.schema(members["event"])
    let declared = members["at"].flatMap {
      declaredField($0, of: schema, among: [.instant, .date])
    }
    var placeholders = placeholders(of: schema)
    if declared?.kind != .date {
      let distance = triggerName == "before" ? "until" : "since"
      placeholders = self.placeholders(of: schema, distance: distance)
    } else if let by = members["by"] {
      reportElapsed(by)
    }
    let field = declared.map { Symbol($0.name) }
    if members["by"] != nil { placeholders["hours"] = .number }
    if members["days"] != nil { placeholders["days"] = .number }
    if members["weeks"] != nil { placeholders["weeks"] = .number }
    if triggerName == "before" { placeholders["passed"] = placeholders["passed"] ?? .passed }
    let cancellations = cancellations(draft.members["cancel"], of: members["event"])
    var draft = draft
    draft.options.data = dataConditions(draft.members["where"], of: schema, groups: draft.groups)
    let messages = messages(draft, placeholders)
    let timing = timing(
      members, of: triggerName, node, field: field ?? Symbol(""), groups: draft.groups)
    guard let event, field != nil, let timing else { return }
    catalog.keepLatest(Facts.reportsMax, of: event)
    let trigger = ItemTrigger(
      event: event, timing: timing, cancelledBy: cancellations, isPast: triggerName == "past",
      countsWeeks: members["weeks"] != nil)
    checkUpcoming(draft, trigger)
    add(draft, name: draft.name, trigger: .items(trigger), messages: messages)
  }

  private mutating func timing(
    _ members: [String: Node], of triggerName: String, _ node: Node, field: Symbol,
    groups: [String]
  ) -> ItemTrigger.Timing? {
    let dates: (unit: String, counts: CountsSource?)
    switch (members["by"], members["days"], members["weeks"]) {
    case (let by?, nil, nil):
      if let time = members["time"] { report(time, "\"time\" cannot be used with \"by\"") }
      return advance(by, field: field, groups: groups)
    case (nil, let days?, nil):
      dates = ("days", countsSource(days, "days", groups: groups, exactlyOne: false))
    case (nil, nil, let weeks?): dates = ("weeks", weeksSource(weeks))
    default:
      report(node, "\"\(triggerName)\" needs one of \"by\", \"days\" and \"weeks\"")
      return nil
    }
    guard let time = members["time"] else {
      report(node, "\"\(dates.unit)\" needs \"time\"")
      return nil
    }
    guard let time = timeSource(time, groups: groups), let counts = dates.counts else { return nil }
    return .datesBefore(field: field, counts, time)
  }

  /// The greatest number of `weeks`, and the maximum number of them.
  private static let (weekMax, weeksMax) = (520, 100)

  /// Reads `weeks: 28` or `weeks: [28, {from: 30, to: 36, step: 2}]`, as numbers of days.
  private mutating func weeksSource(_ node: Node) -> CountsSource? {
    var weeks: Set<Int> = []
    for entry in node.sequence.map(Array.init) ?? [node] {
      guard let numbers = weekNumbers(entry) else { return nil }
      weeks.formUnion(numbers)
    }
    guard (1...Self.weeksMax).contains(weeks.count) else {
      report(node, "weeks must name 1 to \(Self.weeksMax) weeks; they are \(weeks.count)")
      return nil
    }
    return .fixed(weeks.sorted().map { Int64(7 * $0) })
  }

  /// Reads `28` or `{from: 30, to: 36, step: 2}`.
  private mutating func weekNumbers(_ node: Node) -> [Int]? {
    let range = 0...Self.weekMax
    if let week = node.wholeNumber, range.contains(week) { return [week] }
    guard node.mapping != nil else {
      report(
        node,
        "weeks must be whole numbers from 0 to \(Self.weekMax), or ranges such as {from: 28, to: "
          + "36, step: 2}")
      return nil
    }
    let members = members(node, of: "\"weeks\"", .weeks)
    guard let from = members["from"].flatMap({ number($0, "from") }),
      let to = members["to"].flatMap({ number($0, "to") })
    else { return nil }
    let step = members["step"].map { number($0, "step") } ?? 1
    guard let step, let first = Int(exactly: from), let last = Int(exactly: to), first <= last,
      range.contains(first), range.contains(last), (1...52).contains(step)
    else {
      report(
        node,
        "\"from\" must not be after \"to\", both from 0 to \(Self.weekMax), and \"step\" "
          + "from 1 to 52")
      return nil
    }
    return Array(stride(from: first, through: last, by: Int(step)))
  }

  /// Reads `by: 30m`, `by: [24h, 2h]`, or `by: $advance` with a parameter in hours or a duration.
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

  /// Reports `by` for a date: `by` is elapsed time, and a date has no instant to count from.
  private mutating func reportElapsed(_ node: Node) {
    report(
      node,
      "\"by\" counts from an instant, and the field is a date; write \"days\" and \"time\" "
        + "instead, such as days: 1, time: \"09:00\"")
  }

  /// Reads the name of an event's field with an instant.
  mutating func instantField(_ node: Node, of schema: EventSchema?) -> Symbol? {
    declaredField(node, of: schema, among: [.instant]).map { Symbol($0.name) }
  }

  /// Reads the name of an event's field. Reports a name that no field of one of `kinds` has:
  /// instants, or instants and dates.
  private mutating func declaredField(
    _ node: Node, of schema: EventSchema?, among kinds: [EventSchema.FieldKind]
  ) -> EventSchema.Field? {
    let name = node.string ?? ""
    let fields = (schema?.fields ?? []).filter { kinds.contains($0.kind) }
    if let field = fields.first(where: { $0.name == name }) { return field }
    if let schema {
      let names = fields.map(\.name)
      let list = names.isEmpty ? "" : " (known: \(names.joined(separator: ", ")))"
      let noun = kinds.contains(.date) ? "an instant or a date" : "an instant"
      report(
        node, "\"\(name)\" is not \(noun) that \(schema.type) carries" + hint(name, names) + list)
    }
    return nil
  }

  // MARK: - Cancelling

  /// Returns the conditions that cancel the occurrences of an event: those in `cancel`, and those
  /// for the event's withdrawals.
  ///
  /// - Parameters:
  ///   - event: the event that the occurrences follow. A condition on this event is reported if the
  ///     condition can never match.
  ///   - isLatest: whether an occurrence always follows the latest event of the type.
  mutating func cancellations(
    _ node: Node?, of event: Node?, isLatest: Bool = false
  ) -> [EventCondition] {
    let withdrawals = withdrawals(of: [event].compactMap(\.self))
    let conditions = eventConditions(node) + withdrawals
    guard let node, let schema = schema(event) else { return conditions }
    let plannedBy = Symbol(schema.type)
    if conditions.contains(where: { $0.event == plannedBy && ($0.isPerEntity || isLatest) }) {
      report(
        node,
        "\"cancel\" can never match: \(event?.string ?? "") would have to be later than itself")
    }
    return conditions
  }
}
