import CivilTime
import JSON

/// Reads a plan that an event carries. Each error names the member.
struct PlanReader {
  private let object: JSONObject
  private let path: String

  /// - Parameter path: the path of the plan, such as `data.schedule`.
  init(_ value: JSONValue, _ path: String) throws(Refusal) {
    guard let object = value.objectValue else {
      throw Refusal(
        path: path, "must be an object such as {\"times\": [\"08:00\"]}; it is \(value.kind)")
    }
    (self.object, self.path) = (object, path)
    for member in object where !Self.names.contains(member.key) {
      throw Refusal(
        path: "\(path).\(member.key)",
        "is not known" + hint(member.key, Self.names)
          + "; known are \(Self.names.joined(separator: ", "))")
    }
  }

  private static let names = [
    "times", "days", "every", "from", "until", "count", "cycle", "rule", "zone", "except", "also",
  ]

  /// - Parameter zones: the zones that the plan can name; nil for any name.
  func plan(_ zones: ZoneDatabase?) throws(Refusal) -> EntityPlan {
    var plan = EntityPlan(minutes: try minutes())
    plan.zoneName = try zoneName(zones)
    plan.first = try first()
    plan.last = try last(since: plan.first)
    plan.dates = try dates(since: plan.first)
    plan.exceptions = try exceptions()
    plan.additions = try additions(plan.minutes)
    if let rule = try ruleReader() { try readEnd(of: rule, into: &plan) }
    if let last = try lastCounted(of: plan) { plan.last = last }
    guard !plan.additions.isEmpty || plan.dose(1, where: { !plan.isException($0) }) != nil else {
      throw refusal(nil, "has no dose; change its dates, from or until")
    }
    return plan
  }

  // MARK: - Times

  private func minutes() throws(Refusal) -> [Int] {
    guard let value = value("times") else { throw refusal("times", "is missing") }
    guard let elements = value.arrayValue, (1...EntityPlan.timesMax).contains(elements.count) else {
      throw refusal("times", "must be a list of 1 to \(EntityPlan.timesMax) times")
    }
    var minutes: [Int] = []
    for (index, element) in elements.enumerated() {
      guard let time = element.stringValue.flatMap({ LocalTime($0) }) else {
        throw refusal("times[\(index)]", "must be a time such as \"08:00\"")
      }
      guard !minutes.contains(time.minuteOfDay) else {
        throw refusal("times[\(index)]", "is \"\(time)\" again; name each time once")
      }
      minutes.append(time.minuteOfDay)
    }
    return minutes.sorted()
  }

  private func zoneName(_ zones: ZoneDatabase?) throws(Refusal) -> String? {
    guard let value = value("zone") else { return nil }
    guard let name = value.stringValue else {
      throw refusal("zone", "must be floating or the name of a zone; it is \(value.kind)")
    }
    guard name != "floating" else { return nil }
    do {
      _ = try zones?.zone(named: name)
    } catch {
      throw refusal("zone", "is \"\(name)\", which is neither floating nor a known zone")
    }
    return name
  }

  // MARK: - Beginning and end

  private func first() throws(Refusal) -> EntityPlan.Dose? {
    guard let value = value("from") else { return nil }
    let (date, minute) = try dateAndMinute(value, "from")
    return EntityPlan.Dose(date: date, minute: minute ?? 0)
  }

  /// Reads a date, or a date and time; the minute is nil for a date alone.
  private func dateAndMinute(
    _ value: JSONValue, _ name: String
  ) throws(Refusal) -> (date: LocalDate, minute: Int?) {
    let text = value.stringValue ?? ""
    if let date = LocalDate(String(text.prefix(10))), EntityPlan.days.contains(date) {
      if text.count == 10 { return (date, nil) }
      if let time = Self.time(after: text) { return (date, time.minuteOfDay) }
    }
    throw refusal(
      name,
      "must be a date such as \"2026-03-02\", or a date and time such as "
        + "\"2026-03-02T20:00\", from 1970 to 2149")
  }

  private func last(since first: EntityPlan.Dose?) throws(Refusal) -> EntityPlan.Dose? {
    guard let value = value("until") else { return nil }
    let date = try date(value, "until")
    if let first, date < first.date {
      throw refusal("until", "is \(date), before from, which is \(first.date)")
    }
    return EntityPlan.Dose(date: date, minute: Self.lastMinute)
  }

  private static let lastMinute = 1_439

  private func date(_ value: JSONValue, _ name: String) throws(Refusal) -> LocalDate {
    guard let date = value.stringValue.flatMap({ LocalDate($0) }), EntityPlan.days.contains(date)
    else { throw refusal(name, "must be a date such as \"2026-03-02\", from 1970 to 2149") }
    return date
  }

  /// Returns the last dose of `dates` that COUNT of a rule, or else `count`, allows; nil without
  /// either, or if there are fewer doses. COUNT includes the doses that `except` leaves out.
  /// `count` counts all doses of the plan, also those in `also`.
  private func lastCounted(of plan: EntityPlan) throws(Refusal) -> EntityPlan.Dose? {
    if let count = try ruleReader()?.count() { return plan.dose(count) }
    guard value("count") != nil else { return nil }
    try require(plan.first, for: "count")
    let count = try number("count", in: 1...EntityPlan.countMax)
    let regular = count - plan.additions.count
    guard regular > 0 else {
      throw refusal(
        "count",
        "must be above \(plan.additions.count), the number of doses in \"also\", because it "
          + "counts all doses; it is \(count)")
    }
    return plan.dose(regular) { !plan.isException($0) && !plan.additions.contains($0) }
  }

  /// Returns the time in "2026-03-02T20:00".
  private static func time(after text: String) -> LocalTime? {
    text.dropFirst(10).first == "T" ? LocalTime(String(text.dropFirst(11))) : nil
  }

  private func require(_ first: EntityPlan.Dose?, for name: String) throws(Refusal) {
    guard first == nil else { return }
    throw refusal(name, "needs \"from\", the date from which it counts")
  }

  // MARK: - Changes of single dates

  private func exceptions() throws(Refusal) -> [LocalDate] {
    var dates: Set<LocalDate> = []
    for (index, element) in try changes("except").enumerated() {
      dates.insert(try date(element, "except[\(index)]"))
    }
    return dates.sorted()
  }

  /// - Parameter minutes: the times of a date that is given without a time.
  private func additions(_ minutes: [Int]) throws(Refusal) -> [EntityPlan.Dose] {
    var doses: Set<EntityPlan.Dose> = []
    for (index, element) in try changes("also").enumerated() {
      let (date, minute) = try dateAndMinute(element, "also[\(index)]")
      doses.formUnion((minute.map { [$0] } ?? minutes).map { .init(date: date, minute: $0) })
    }
    guard doses.count <= EntityPlan.changesMax else {
      throw refusal(
        "also",
        "has \(doses.count) doses, as a date has each of times; at most "
          + "\(EntityPlan.changesMax) are allowed; report the others as another plan")
    }
    return doses.sorted()
  }

  private func changes(_ name: String) throws(Refusal) -> [JSONValue] {
    guard let value = value(name) else { return [] }
    guard let elements = value.arrayValue, elements.count <= EntityPlan.changesMax else {
      let found = value.arrayValue.map { "has \($0.count)" } ?? "is \(value.kind)"
      throw refusal(
        name,
        "must be a list of at most \(EntityPlan.changesMax) dates; it \(found); remove dates that "
          + "have passed")
    }
    return elements
  }

  // MARK: - Dates

  private func dates(since first: EntityPlan.Dose?) throws(Refusal) -> PlanDates {
    if let rule = try ruleReader() {
      try require(first, for: "rule")
      return .rule(try rule.rule())
    }
    let days = try weekdays()
    let every = try every()
    if let cycle = try cycle() {
      try require(first, for: "cycle")
      guard every == nil else { throw refusal("every", "cannot be used with \"cycle\"") }
      return .cycle(on: cycle.on, off: cycle.off, days: days ?? PlanDates.everyDay)
    }
    guard let (unit, step) = every else {
      return days.map { .weeks(step: 1, days: $0) } ?? .days(step: 1)
    }
    // Without a first date, a step has no beginning, and a week no day.
    if unit == .month || step > 1 || unit == .week && days == nil {
      try require(first, for: "every")
    }
    switch unit {
    case .week:
      let own = first?.date.weekday.bit ?? PlanDates.everyDay
      return .weeks(step: step, days: days ?? own)
    case .day where step == 1: return days.map { .weeks(step: 1, days: $0) } ?? .days(step: 1)
    default:
      guard days == nil else {
        throw refusal(
          "days", "can be used with weeks and \"cycle\", not with every \(step) \(unit)s")
      }
      return unit == .day ? .days(step: step) : .months(step: step)
    }
  }

  /// Returns a reader of `{"rule": "FREQ=MONTHLY;BYDAY=1MO"}`; nil if there is no rule.
  private func ruleReader() throws(Refusal) -> PlanRuleReader? {
    guard let value = value("rule") else { return nil }
    for name in ["days", "every", "cycle", "count", "until"] where self.value(name) != nil {
      throw refusal(name, "cannot be used with \"rule\"; write it into the rule")
    }
    guard let text = value.stringValue else {
      throw refusal("rule", "must be a text such as FREQ=MONTHLY;BYDAY=1MO; it is \(value.kind)")
    }
    return try PlanRuleReader(text, "\(path).rule")
  }

  private func readEnd(
    of rule: PlanRuleReader, into plan: inout EntityPlan
  ) throws(Refusal) {
    guard let last = try rule.until() else { return }
    if let first = plan.first, last.date < first.date {
      throw refusal("rule", "has UNTIL on \(last.date), before from, which is \(first.date)")
    }
    let end = LocalDate(daysSinceEpoch: EntityPlan.days.upperBound)
    plan.last = last.date > end ? nil : last
  }

  private func weekdays() throws(Refusal) -> Int64? {
    guard let value = value("days") else { return nil }
    guard let elements = value.arrayValue, !elements.isEmpty else {
      throw refusal("days", "must be a list of days such as [\"mon\", \"thu\"]")
    }
    let names = Weekday.allCases.map(\.name)
    var bits: Int64 = 0
    for (index, element) in elements.enumerated() {
      let name = element.stringValue ?? ""
      guard let day = Weekday(name: name) else {
        throw refusal(
          "days[\(index)]",
          "is not a day" + hint(name, names) + "; known are \(names.joined(separator: ", "))")
      }
      bits |= day.bit
    }
    return bits
  }

  /// Reads `{"weeks": 2}`.
  private func every() throws(Refusal) -> (unit: Series.Unit, step: Int)? {
    guard let value = value("every") else { return nil }
    let units = [("days", Series.Unit.day), ("weeks", .week), ("months", .month)]
    guard let member = value.objectValue?.members.first, value.objectValue?.members.count == 1,
      let unit = units.first(where: { $0.0 == member.key })?.1
    else {
      throw refusal("every", "must have exactly one of days, weeks and months")
    }
    return (unit, try number(member.value, "every.\(member.key)", in: 1...unit.stepMax))
  }

  private func cycle() throws(Refusal) -> (on: Int, off: Int)? {
    guard let value = value("cycle") else { return nil }
    guard let object = value.objectValue, object.members.count == 2, let on = object["on"],
      let off = object["off"]
    else {
      throw refusal("cycle", "must have \"on\" and \"off\", both numbers of days")
    }
    return (
      try number(on, "cycle.on", in: 1...Self.cycleMax),
      try number(off, "cycle.off", in: 1...Self.cycleMax)
    )
  }

  private static let cycleMax = 366

  // MARK: - Members

  private func value(_ name: String) -> JSONValue? {
    guard let value = object[name], !value.isNull else { return nil }
    return value
  }

  private func number(_ name: String, in range: ClosedRange<Int>) throws(Refusal) -> Int {
    try number(value(name) ?? .null, name, in: range)
  }

  private func number(
    _ value: JSONValue, _ name: String, in range: ClosedRange<Int>
  ) throws(Refusal) -> Int {
    guard let number = value.integerValue, range.contains(Int(clamping: number)) else {
      let text = value.integerValue.map { "\($0)" } ?? value.kind
      throw refusal(
        name,
        "must be a whole number from \(range.lowerBound) to \(range.upperBound); it is \(text)")
    }
    return Int(number)
  }

  private func refusal(_ name: String?, _ reason: String) -> Refusal {
    Refusal(path: name.map { "\(path).\($0)" } ?? path, reason)
  }
}

extension EntityPlan {
  fileprivate func isException(_ dose: Dose) -> Bool { exceptions.contains(dose.date) }
}

extension ClosedRange<Int> {
  fileprivate func contains(_ date: LocalDate) -> Bool { contains(Int(date.daysSinceEpoch)) }
}
