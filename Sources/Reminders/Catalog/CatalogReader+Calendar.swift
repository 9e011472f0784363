import CivilTime
import Yams

extension CatalogReader {
  /// `every: {day: {at: $time}}`, `every: {week: {on: [sun], at: "18:00"}}` or
  /// `every: {month: {on: [1, last], at: "09:00"}}`.
  mutating func readCalendar(_ draft: Draft, _ node: Node) {
    var draft = draft
    let parts = members(node, of: "\"every\"", allowed: Series.Unit.allCases.map(\.rawValue))
    let until = draft.parts["until"].flatMap { self.event($0) }
    let pause = draft.parts["pause"].flatMap { self.pause($0) }
    let isSmart = draft.parts["smart"].flatMap {
      toggleSource($0, "smart", groups: draft.groups)
    }
    let messages = messages(draft, calendarPlaces(draft))
    guard let (unit, body) = parts.first, parts.count == 1 else {
      if parts.count == node.mapping?.count {
        report(node, "\"every\" needs one of \"day\", \"week\", \"month\" and \"year\"")
      }
      return
    }
    let fields = calendarFields(unit, body)
    let days = days(unit, fields["on"], groups: draft.groups)
    let series = series(draft, unit: unit, fields["step"])
    if let after = fields["after"].flatMap({ span($0, "after") }) { draft.options.offset = after }
    guard let times = times(body, unit, fields, groups: draft.groups), let days else { return }
    if let smart = draft.parts["smart"], isSmart != nil {
      guard case .one = times else {
        return report(smart, "\"smart\" means something for one time of the day only")
      }
    }
    let trigger = CalendarTrigger(
      times: times, days: days, until: until, pause: pause, isSmart: isSmart ?? .fixed(false),
      series: series)
    add(draft, name: draft.name, trigger: .calendar(trigger), messages: messages)
  }

  /// What a message may speak of: the days since its series began, and the thing that is upcoming.
  private func calendarPlaces(_ draft: Draft) -> [String: Template.Segment] {
    var places = places(of: schema(draft.parts["upcoming"]?.mapping?["event"]))
    if draft.parts["since"] != nil { places["days"] = .number }
    return places
  }

  private mutating func calendarFields(_ unit: String, _ body: Node) -> [String: Node] {
    let isSpread = body.mapping?["spread"] != nil
    let times = isSpread ? ["spread", "from", "to"] : ["at"]
    let days = unit == "day" ? [] : ["on"]
    return members(
      body, of: "\"\(unit)\"", allowed: days + times + ["after", "step"], required: days + times)
  }

  private mutating func times(
    _ body: Node, _ unit: String, _ fields: [String: Node], groups: [String]
  ) -> TimesSource? {
    if let at = fields["at"] { return timesSource(at, groups: groups) }
    let count = fields["spread"].flatMap {
      countsSource($0, "spread", groups: groups, isOne: true)
    }
    let start = fields["from"].flatMap { timeSource($0, groups: groups) }
    let end = fields["to"].flatMap { timeSource($0, groups: groups) }
    guard let count, let start, let end else { return nil }
    return .spread(count, from: start, to: end)
  }

  // MARK: - Days

  private mutating func days(
    _ unit: String, _ node: Node?, groups: [String]
  ) -> DaySelection? {
    guard unit != "day" else { return .week(.fixed(0b111_1111)) }
    guard let node else { return nil }
    if unit == "week" { return daysSource(node, groups: groups).map { .week($0) } }
    if unit == "year" { return yearDays(node).map { .year($0) } }
    return monthDays(node).map { .month($0) }
  }

  /// `[1, 15, last, first mon]`.
  private mutating func monthDays(_ node: Node) -> MonthDays? {
    var days = MonthDays()
    for entry in node.sequence.map(Array.init) ?? [node] {
      insertMonthDay(entry, into: &days)
    }
    if node.sequence?.isEmpty == true { report(node, "\"on\" must name a day of the month") }
    return days.isEmpty ? nil : days
  }

  /// `pause: {event: relapse, days: 2}`: taken up again on the second local date after it.
  private mutating func pause(_ node: Node) -> CalendarTrigger.Pause? {
    let parts = members(
      node, of: "\"pause\"", allowed: ["event", "days"], required: ["event", "days"])
    let event = parts["event"].flatMap { self.event($0) }
    let days = parts["days"].flatMap { number($0, "days") }
    guard let event, let days else { return nil }
    guard (0...3650).contains(days) else {
      report(node, "\"days\" must be from 0 to 3650")
      return nil
    }
    return CalendarTrigger.Pause(event: event, days: Int(days))
  }
}
