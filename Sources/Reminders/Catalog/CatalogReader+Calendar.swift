import CivilTime
import Yams

extension CatalogReader {
  /// Reads `every: {day: {at: $time}}`, `every: {week: {on: [sun], at: "18:00"}}` or `every:
  /// {month: {on: [1, last], at: "09:00"}}`.
  mutating func readCalendar(_ draft: Draft, _ node: Node) {
    var draft = draft
    let members = members(node, of: "\"every\"", .every)
    let until = draft.members["until"].flatMap { eventCondition($0) }
    let pause = draft.members["pause"].flatMap { self.pause($0) }
    let isSmart = draft.members["smart"].flatMap {
      toggleSource($0, "smart", groups: draft.groups)
    }
    if let source = planSource(members, groups: draft.groups) {
      return readPlan(draft, members, source, until: until, pause: pause)
    }
    if let at = members["at"] { report(at, "\"at\" beside \"every\" needs \"plan\"") }
    let messages = messages(draft, calendarPlaceholders(draft))
    guard let (unit, body) = members.first, members.count == 1 else {
      if members.count == node.mapping?.count {
        report(node, "\"every\" needs one of \"day\", \"week\", \"month\", \"year\" and \"plan\"")
      }
      return
    }
    let fields = calendarFields(unit, body)
    let days =
      if let calendar = fields["calendar"] {
        otherCalendarDays(draft, calendar, fields).map { DaySelection.other($0) }
      } else {
        days(unit, fields["on"], groups: draft.groups)
      }
    let series = series(draft, unit: unit, fields["step"])
    checkUntil(draft, until, series)
    if let after = fields["after"].flatMap({ offset($0) }) { draft.options.offset = after }
    guard let times = times(fields, draft), let days else { return }
    if let smart = draft.members["smart"], isSmart != nil {
      guard case .one = times else {
        return report(smart, "\"smart\" needs exactly one time of day")
      }
    }
    let trigger = CalendarTrigger(
      times: times, days: days, until: until, pause: pause, isSmart: isSmart ?? .fixed(false),
      series: series)
    add(draft, name: draft.name, trigger: .calendar(trigger), messages: messages)
  }

  /// Returns the placeholders that messages may use: the days since the reminder's series began,
  /// and the fields of the upcoming entity.
  private func calendarPlaceholders(_ draft: Draft) -> [String: Template.Segment] {
    let isUpcoming = draft.members["upcoming"] != nil
    guard isUpcoming || draft.members["since"] != nil else { return [:] }
    var placeholders = placeholders(
      of: schema(draft.members["upcoming"]?.mapping?["event"]),
      distance: isUpcoming ? "until" : "since")
    if draft.members["since"] != nil { placeholders["days"] = .number }
    return placeholders
  }

  /// Reads `1h` or `{days: 2}`. A duration of whole days is refused: it would be an hour off when
  /// clocks change.
  private mutating func offset(_ node: Node) -> Offset? {
    guard node.mapping != nil else {
      guard let span = span(node, "after") else { return nil }
      let days = span.milliseconds / TimeSpan.days(1).milliseconds
      if days > 0, span == .days(Int(days)) {
        report(
          node, "\"after\" cannot be whole days of elapsed time; write {days: \(days)} for dates")
      }
      return Offset(span: span)
    }
    let members = members(node, of: "\"after\"", .dates)
    return members["days"].flatMap { dates($0, 366) }.map { Offset(days: $0) }
  }

  /// Reads a number of local dates, from 1 to `most`.
  mutating func dates(_ node: Node, _ most: Int) -> Int? {
    guard let days = number(node, "days") else { return nil }
    guard (1...Int64(most)).contains(days) else {
      report(node, "\"days\" must be from 1 to \(most)")
      return nil
    }
    return Int(days)
  }

  private mutating func calendarFields(_ unit: String, _ body: Node) -> [String: Node] {
    let form = CalendarForm.allCases.last { body.mapping?[$0.rawValue] != nil } ?? .at
    let isOther = body.mapping?["calendar"] != nil && ["month", "year"].contains(unit)
    return members(
      body, of: "\"\(unit)\"", isOther ? .otherCalendar(unit, form) : .calendar(unit, form))
  }

  private mutating func times(_ fields: [String: Node], _ draft: Draft) -> TimesSource? {
    let groups = draft.groups
    if let at = fields["at"] { return timesSource(at, groups: groups) }
    if let pick = fields["pick"] { return pickedTimes(pick, draft).map { .picked($0) } }
    let count = fields["spread"].flatMap {
      countsSource($0, "spread", groups: groups, exactlyOne: true)
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

  /// Reads `[1, 15, last, first mon]`.
  private mutating func monthDays(_ node: Node) -> MonthDays? {
    var days = MonthDays()
    for entry in node.sequence.map(Array.init) ?? [node] {
      insertMonthDay(entry, into: &days)
    }
    if node.sequence?.isEmpty == true { report(node, "\"on\" must name a day of the month") }
    return days.isEmpty ? nil : days
  }

  /// Reads `pause: {event: relapse, days: 2}`: the reminder resumes on the second local date after
  /// the event.
  private mutating func pause(_ node: Node) -> CalendarTrigger.Pause? {
    let members = members(node, of: "\"pause\"", .pause)
    let event = eventCondition(members)
    let days = members["days"].flatMap { number($0, "days") }
    guard let event, let days else { return nil }
    guard (0...3650).contains(days) else {
      report(node, "\"days\" must be from 0 to 3650")
      return nil
    }
    return CalendarTrigger.Pause(event: event, days: Int(days))
  }
}

extension CatalogReader {
  /// Reads `idle: {event: [app.opened], days: $threshold, times: [1, 2, 4], when: {escalation:
  /// true}, channels: [push, [push, email], [push, email, sms]]}`, and adds a reminder for each
  /// number in `times`. With `days: 3` and `times: [1, 2, 4]`, reminders are sent after 3, 6 and 12
  /// days without such an event. The conditions of `when` apply to all of these reminders except
  /// the first.
  mutating func readIdle(_ draft: Draft, _ node: Node) {
    let members = members(node, of: "\"idle\"", .idle)
    let events = members["event"].map { self.events($0) } ?? []
    let unit = members["hours"] == nil ? "days" : "hours"
    if (members["days"] == nil) == (members["hours"] == nil), node.mapping != nil {
      report(node, "\"idle\" needs one of \"days\" and \"hours\"")
    }
    let count = members[unit].flatMap {
      countsSource($0, unit, groups: draft.groups, exactlyOne: true)
    }
    let times = members["times"].flatMap { readFactors($0) }
    let when = members["when"].map { conditions($0, groups: draft.groups) } ?? []
    let factors = times ?? [1]
    let channels = members["channels"].map { self.channels($0, of: draft, count: factors.count) }
    let messages = messages(draft, [unit: .number, "since": .distance])
    guard let count, !events.isEmpty else { return }
    for (index, factor) in factors.enumerated() {
      let trigger = IdleTrigger(
        events: events, count: count, unit: unit == "days" ? .days(1) : .hours(1), factor: factor)
      if index == 0 { checkHaving(draft, ofIdle: trigger) }
      var factorDraft = draft
      if index > 0 { factorDraft.options.conditions += when }
      if let channels, index < channels.count {
        factorDraft.options.channels.formIntersection(channels[index])
      }
      add(
        factorDraft, name: times == nil ? draft.name : "\(draft.name)-\(factor)",
        trigger: .idle(trigger), messages: messages)
    }
  }

  private mutating func readFactors(_ node: Node) -> [Int64]? {
    let numbers = node.sequence?.map { $0.wholeNumber ?? 0 } ?? []
    guard !numbers.isEmpty, numbers.allSatisfy((1...100).contains), numbers == Set(numbers).sorted()
    else {
      report(node, "\"times\" must be a list of ascending whole numbers such as [1, 2, 4]")
      return nil
    }
    return numbers.map(Int64.init)
  }

  private mutating func channels(_ node: Node, of draft: Draft, count: Int) -> [ChannelSet] {
    guard let sequence = node.sequence, sequence.count == count else {
      report(node, "\"channels\" must give a channel or a list of them for each of \"times\"")
      return []
    }
    let isDeclared = catalog.categories.indices.contains(draft.category)
    return sequence.map { channels($0, of: isDeclared ? draft.category : nil) }
  }
}
