import CivilTime
import Yams

extension CatalogReader {
  private static let members = [
    "category", "group", "expires", "every", "until", "pause", "after", "while", "cancel", "on",
    "milestones", "messages",
  ]

  mutating func readReminder(_ name: String, _ node: Node) {
    let parts = members(
      node, of: "the reminder \"\(name)\"", allowed: Self.members,
      required: ["category", "group", "expires", "messages"])
    // What is wrong has been reported and the catalog will not be taken: reading goes on with
    // anything in its place, to find the other mistakes.
    let draft = Draft(
      name: name, node: node, parts: parts, group: parts["group"]?.string ?? "",
      enabled: parts["group"].flatMap { enabled(ofGroup: $0) } ?? 0,
      category: parts["category"].flatMap { category($0) } ?? 0,
      expires: parts["expires"].flatMap { span($0, "expires") } ?? .zero)
    switch (parts["every"], parts["after"], parts["on"]) {
    case (let every?, nil, nil):
      refuse(["while", "cancel", "milestones"], of: draft, beside: "every")
      readCalendar(draft, every)
    case (nil, let after?, nil):
      let isCounting = after.mapping?["highest"] != nil
      refuse(
        ["until", "pause", "milestones"] + (isCounting ? [] : ["while"]), of: draft,
        beside: isCounting ? "after" : "after without highest")
      readAfter(draft, after)
    case (nil, nil, let on?):
      refuse(["until", "pause", "while", "cancel"], of: draft, beside: "on")
      readMilestones(draft, on)
    default: report(node, "the reminder \"\(name)\" needs one of \"every\", \"after\" and \"on\"")
    }
  }

  /// Reports members that would mean nothing beside a trigger of a kind.
  private mutating func refuse(_ members: [String], of draft: Draft, beside trigger: String) {
    for name in members {
      guard let node = draft.parts[name] else { continue }
      report(node, "\"\(name)\" means nothing beside \"\(trigger)\"")
    }
  }

  /// What every kind of reminder has, read once.
  struct Draft {
    var name: String
    var node: Node
    var parts: [String: Node]
    var group: String
    var enabled: Int
    var category: Int
    var expires: TimeSpan
  }

  /// The setting that switches a declared group.
  private mutating func enabled(ofGroup node: Node) -> Int? {
    let name = node.string ?? ""
    if let index = catalog.settings.index(of: "reminders.\(name).enabled") { return index }
    report(node, "the group \"\(name)\" is not declared")
    return nil
  }

  private mutating func category(_ node: Node) -> Int? {
    let name = node.string ?? ""
    if let index = catalog.categories.firstIndex(where: { $0.name == name }) { return index }
    report(
      node,
      "the category \"\(name)\" is not declared"
        + hint(name, catalog.categories.map(\.name)))
    return nil
  }

  mutating func add(_ draft: Draft, name: String, trigger: Trigger, messages: [Message]) {
    let symbol = Symbol(name)
    guard catalog.reminderIndices[symbol] == nil else {
      return report(
        draft.node, "the reminder \"\(name)\" is declared twice, or its hash is taken; rename it")
    }
    guard !messages.isEmpty, messages.count < 255 else {
      return report(draft.node, "the reminder \"\(name)\" needs 1 to 254 messages")
    }
    catalog.reminderIndices[symbol] = catalog.reminders.count
    catalog.reminders.append(
      Reminder(
        identifier: name, category: draft.category, isEnabled: draft.enabled, trigger: trigger,
        expires: draft.expires, messages: messages))
  }

  // MARK: - Calendar

  /// `every: {day: {at: $time}}` or `every: {week: {on: [sun], at: "18:00"}}`.
  private mutating func readCalendar(_ draft: Draft, _ node: Node) {
    let parts = members(node, of: "\"every\"", allowed: ["day", "week"])
    guard let (unit, body) = parts.first, parts.count == 1 else {
      return report(node, "\"every\" needs one of \"day\" and \"week\"")
    }
    let needed = unit == "week" ? ["on", "at"] : ["at"]
    let fields = members(body, of: "\"\(unit)\"", allowed: needed, required: needed)
    guard let time = fields["at"].flatMap({ timeSource($0, group: draft.group) }) else { return }
    var days = DaysSource.fixed(0b111_1111)
    if let on = fields["on"] {
      guard let source = daysSource(on, group: draft.group) else { return }
      days = source
    }
    let trigger = CalendarTrigger(
      time: time, days: days, until: draft.parts["until"].flatMap { event($0) },
      pause: draft.parts["pause"].flatMap { pause($0) })
    add(draft, name: draft.name, trigger: .calendar(trigger), messages: messages(draft, [:]))
  }

  /// `pause: {event: relapse, days: 2}`: taken up again on the second local date after it.
  private mutating func pause(_ node: Node) -> CalendarTrigger.Pause? {
    let parts = members(
      node, of: "\"pause\"", allowed: ["event", "days"], required: ["event", "days"])
    guard let event = parts["event"].flatMap({ event($0) }),
      let days = parts["days"].flatMap({ number($0, "days") })
    else { return nil }
    guard (0...3650).contains(days) else {
      report(node, "\"days\" must be from 0 to 3650")
      return nil
    }
    return CalendarTrigger.Pause(event: event, days: Int(days))
  }

  // MARK: - After

  /// `after: {event: lesson.completed, highest: day, delay: 24h}` or
  /// `after: {event: relapse, next: $time}`.
  private mutating func readAfter(_ draft: Draft, _ node: Node) {
    let parts = members(
      node, of: "\"after\"", allowed: ["event", "highest", "delay", "next"], required: ["event"])
    guard let event = parts["event"].flatMap({ event($0) }) else { return }
    let delay: AfterTrigger.Delay
    switch (parts["delay"], parts["next"]) {
    case (let after?, nil):
      guard let span = span(after, "delay") else { return }
      delay = .elapsed(span)
    case (nil, let next?):
      guard let time = timeSource(next, group: draft.group) else { return }
      delay = .nextDate(time)
    default:
      return report(node, "\"after\" needs one of \"delay\" and \"next\"")
    }
    var trigger = AfterTrigger(
      event: event, onlyHighest: false, delay: delay, below: nil,
      cancelledBy: draft.parts["cancel"].map { events($0) } ?? [])
    var names: [String: Template.Segment] = [:]
    if let highest = parts["highest"], let field = highestField(highest, of: parts["event"]) {
      trigger.onlyHighest = true
      names = [field: .number, "next": .next]
      trigger.below = draft.parts["while"].flatMap { below($0, field: field) }
    }
    add(draft, name: draft.name, trigger: .after(trigger), messages: messages(draft, names))
  }

  private mutating func highestField(_ node: Node, of event: Node?) -> String? {
    let name = node.string ?? ""
    if case .happening(let field?)? = catalog.event(event?.string ?? "")?.shape,
      field.name == name
    {
      return name
    }
    report(node, "\"\(name)\" is not a number that the event carries")
    return nil
  }

  /// `while: {day: {below: 30}}`.
  private mutating func below(_ node: Node, field: String) -> Int64? {
    let parts = members(node, of: "\"while\"", allowed: [field], required: [field])
    guard let body = parts[field] else { return nil }
    let limit = members(body, of: "\"\(field)\"", allowed: ["below"], required: ["below"])
    return limit["below"].flatMap { number($0, "below") }
  }
}
