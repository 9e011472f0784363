import CivilTime
import Yams

extension CatalogReader {
  /// Reads `since: course.started` or `since: "2026-01-05"` beside `every`, with `step` in the
  /// trigger's unit and the events that `cancel` the series. Returns nil without `since`.
  mutating func series(
    _ draft: Draft, unit: String, _ step: Node?
  ) -> Series? {
    let cancelConditions = eventConditions(draft.members["cancel"])
    let stepSource = step.flatMap {
      countsSource($0, "step", groups: draft.groups, exactlyOne: true)
    }
    guard let since = draft.members["since"] else {
      if let step { report(step, "\"step\" needs \"since\", from which it counts") }
      if let node = draft.members["cancel"] {
        report(
          node,
          "\"cancel\" with \"every\" needs \"since\" with an event, which starts the series again")
      }
      return nil
    }
    guard let start = start(since), let unit = Series.Unit(rawValue: unit) else { return nil }
    if case .fixed(let numbers) = stepSource, let step,
      !numbers.allSatisfy({ (1...Int64(unit.stepMax)).contains($0) })
    {
      report(step, "\"step\" must be from 1 to \(unit.stepMax)")
    }
    if case .events(let events) = start, let node = draft.members["cancel"],
      cancelConditions.contains(where: { events.map(\.event) == [$0.event] })
    {
      report(node, "\"cancel\" can never match: it names the event of \"since\"")
    }
    if case .date = start, let node = draft.members["cancel"] {
      report(node, "\"cancel\" cannot be used with a date, which never starts the series again")
    }
    let withdrawals = withdrawals(of: eventNodes(since))
    return Series(
      start: start, step: stepSource, unit: unit, cancelledBy: cancelConditions + withdrawals)
  }

  private mutating func start(_ node: Node) -> Series.Start? {
    if let date = node.string.flatMap({ LocalDate($0) }) { return .date(date) }
    let events = eventConditions(node)
    return events.isEmpty ? nil : .events(events)
  }

  // MARK: - Days of months and years

  /// Reads `1`, `last`, `first mon` or `last fri`.
  mutating func insertMonthDay(_ entry: Node, into days: inout MonthDays) {
    if let day = entry.wholeNumber, (1...31).contains(day) { return days.insert(day: day) }
    let text = entry.string ?? ""
    if text == "last" { return days.insertLast() }
    let words = text.split(separator: " ").map(String.init)
    guard words.count == 2, let ordinal = MonthDays.ordinals.firstIndex(of: words[0]) else {
      return report(
        entry,
        "\"\(text)\" is not a day of the month; use 1 to 31, last, or an ordinal and a weekday "
          + "such as \"first mon\""
          + hint(words.first ?? "", MonthDays.ordinals))
    }
    guard let weekday = Weekday(name: words[1]) else {
      return report(
        entry, "\"\(words[1])\" is not a day" + dayHint(words[1]))
    }
    days.insert(weekday, ordinal: ordinal)
  }

  /// Reads `["02-29", "12-24"]`.
  mutating func yearDays(_ node: Node) -> YearDays? {
    var days = YearDays()
    for entry in node.sequence.map(Array.init) ?? [node] {
      // 2024 is a leap year, so that 02-29 is valid.
      guard let date = LocalDate("2024-\(entry.string ?? "")") else {
        report(
          entry, "\"\(entry.string ?? "")\" is not a day of the year such as \"12-24\"")
        continue
      }
      days.insert(month: date.month, day: date.day)
    }
    if node.sequence?.isEmpty == true { report(node, "\"on\" must name a day of the year") }
    return days.isEmpty ? nil : days
  }

  // MARK: - Spans

  /// Reads `30m`, or `$delay` for a duration that recipients set.
  mutating func spanSource(_ node: Node, _ subject: String, groups: [String]) -> SpanSource? {
    guard node.string?.hasPrefix("$") == true else {
      return span(node, subject).map { .fixed($0) }
    }
    return setting(node, groups: groups, "a duration") { kind in
      if case .span = kind { true } else { false }
    }.map { .setting($0) }
  }

  /// Reads `{duration: [5m, 3d], initial: 1h}`.
  mutating func duration(
    _ node: Node, _ initial: Node?, _ parameterNode: Node
  ) -> (SettingKind, Int64)? {
    let bounds = node.sequence?.map { $0.string.flatMap { TimeSpan($0)?.milliseconds } } ?? []
    guard bounds.count == 2, let least = bounds[0], let most = bounds[1], least <= most,
      most <= Self.longestDuration
    else {
      report(
        node,
        "duration must be a list of its least and greatest value, such as [5m, 3d]; at most 366d "
          + "is allowed")
      return nil
    }
    guard let initial else {
      report(parameterNode, "a duration needs \"initial\"")
      return nil
    }
    guard let span = span(initial, "initial") else { return nil }
    guard (least...most).contains(span.milliseconds) else {
      report(
        initial,
        "must be from \(TimeSpan(milliseconds: least)) to \(TimeSpan(milliseconds: most))")
      return nil
    }
    return (.span(least...most), span.milliseconds)
  }

  /// The greatest duration of a parameter, in milliseconds.
  static let longestDuration = TimeSpan.days(366).milliseconds
}
