import CivilTime

/// Reads a recurrence rule, such as `FREQ=MONTHLY;BYDAY=1MO`. A part that is not supported is
/// refused by its name.
struct PlanRuleReader {
  private let path: String
  private let parts: [(name: String, value: String)]

  /// - Parameter path: the path of the rule, such as `data.schedule.rule`.
  init(_ text: String, _ path: String) throws(Refusal) {
    self.path = path
    guard text.utf8.count <= Self.lengthMax else {
      throw Refusal(
        path: path, "has \(text.utf8.count) bytes; at most \(Self.lengthMax) are allowed")
    }
    var parts: [(name: String, value: String)] = []
    for part in text.split(separator: ";", omittingEmptySubsequences: false) {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = pair[0].uppercased()
      guard pair.count == 2, !pair[1].isEmpty else {
        throw Refusal(path: path, "has the part \"\(part)\"; a part is a name, = and a value")
      }
      guard !parts.contains(where: { $0.name == name }) else {
        throw Refusal(path: path, "has \(name) twice; write it once")
      }
      guard Self.names.contains(name) else {
        throw Refusal(
          path: path,
          "has \(name), which is not supported; supported are "
            + Self.names.joined(separator: ", "))
      }
      parts.append((name, String(pair[1]).uppercased()))
    }
    self.parts = parts
  }

  /// The maximum length of a rule in bytes. Each date of a plan is compared with all parts of the
  /// rule.
  private static let lengthMax = 512
  private static let names = [
    "FREQ", "INTERVAL", "BYDAY", "BYMONTHDAY", "BYMONTH", "BYSETPOS", "WKST", "COUNT", "UNTIL",
  ]
  private static let frequencies: [(String, PlanRule.Frequency)] = [
    ("DAILY", .daily), ("WEEKLY", .weekly), ("MONTHLY", .monthly), ("YEARLY", .yearly),
  ]

  func rule() throws(Refusal) -> PlanRule {
    guard let frequency = value("FREQ") else { throw Refusal(path: path, "has no FREQ") }
    guard let known = Self.frequencies.first(where: { $0.0 == frequency }) else {
      throw refusal("FREQ", frequency, "DAILY, WEEKLY, MONTHLY or YEARLY")
    }
    var rule = PlanRule(frequency: known.1)
    rule.interval = try number("INTERVAL", in: 1...366) ?? 1
    rule.months = try numbers("BYMONTH", in: 1...12)
    rule.monthDays = try numbers("BYMONTHDAY", in: -31...31)
    rule.positions = try numbers("BYSETPOS", in: -366...366)
    rule.days = try days()
    if let start = value("WKST") {
      guard let day = Self.weekday(start) else { throw refusal("WKST", start, "MO to SU") }
      rule.weekStart = day
    }
    try check(rule)
    return rule
  }

  /// Returns the number of doses, COUNT; nil if the rule does not count them.
  func count() throws(Refusal) -> Int? {
    guard value("UNTIL") == nil || value("COUNT") == nil else {
      throw Refusal(path: path, "has COUNT and UNTIL; keep one of them")
    }
    return try number("COUNT", in: 1...EntityPlan.countMax)
  }

  /// Returns the last dose, UNTIL: a date up to its end, or a local date and time; nil if the rule
  /// has no end.
  func until() throws(Refusal) -> EntityPlan.Dose? {
    guard let text = value("UNTIL") else { return nil }
    let digits = text.prefix(8)
    let date = LocalDate("\(digits.prefix(4))-\(digits.dropFirst(4).prefix(2))-\(digits.suffix(2))")
    let time = text.dropFirst(8)
    guard let date, time.isEmpty || time.count == 7 && time.first == "T",
      let minute = time.isEmpty ? 1_439 : Self.minute(time.dropFirst())
    else {
      throw refusal(
        "UNTIL", text, "a local date such as 20260310, or a local time such as 20260310T090000")
    }
    return EntityPlan.Dose(date: date, minute: minute)
  }

  private static func minute(_ digits: Substring) -> Int? {
    LocalTime("\(digits.prefix(2)):\(digits.dropFirst(2).prefix(2))")?.minuteOfDay
  }

  /// Refuses combinations that RFC 5545 forbids.
  private func check(_ rule: PlanRule) throws(Refusal) {
    let hasOrdinal = rule.days.contains { $0.ordinal != nil }
    if hasOrdinal, rule.frequency == .daily || rule.frequency == .weekly {
      throw Refusal(
        path: path, "has an ordinal in BYDAY, which needs FREQ=MONTHLY or FREQ=YEARLY")
    }
    if !rule.monthDays.isEmpty, rule.frequency == .weekly {
      throw Refusal(path: path, "has BYMONTHDAY, which cannot be used with FREQ=WEEKLY")
    }
    if !rule.positions.isEmpty, rule.days.isEmpty, rule.monthDays.isEmpty, rule.months.isEmpty {
      throw Refusal(path: path, "has BYSETPOS, which needs BYDAY, BYMONTHDAY or BYMONTH")
    }
  }

  // MARK: - Parts

  private func value(_ name: String) -> String? { parts.first { $0.name == name }?.value }

  private func numbers(_ name: String, in range: ClosedRange<Int>) throws(Refusal) -> [Int] {
    var numbers: Set<Int> = []
    for text in elements(name) {
      guard let number = Int(text), number != 0, range.contains(number) else {
        throw refusal(
          name, text, "a whole number from \(range.lowerBound) to \(range.upperBound), not 0")
      }
      numbers.insert(number)
    }
    return numbers.sorted()
  }

  private func number(_ name: String, in range: ClosedRange<Int>) throws(Refusal) -> Int? {
    guard let text = value(name) else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw refusal(
        name, text, "a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  private func days() throws(Refusal) -> [PlanRule.Day] {
    var days: [PlanRule.Day] = []
    for text in elements("BYDAY") {
      let digits = text.dropLast(2)
      let ordinal = digits.isEmpty ? nil : Int(digits)
      guard let weekday = Self.weekday(String(text.suffix(2))),
        digits.isEmpty || ordinal.map({ $0 != 0 && abs($0) <= 53 }) ?? false
      else { throw refusal("BYDAY", text, "a day such as MO, 1MO or -1FR") }
      let day = PlanRule.Day(ordinal: ordinal, weekday: weekday)
      if !days.contains(day) { days.append(day) }
    }
    return days
  }

  private func elements(_ name: String) -> [String] {
    value(name).map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
      ?? []
  }

  private static func weekday(_ name: String) -> Weekday? {
    Weekday.allCases.first { $0.name.prefix(2).uppercased() == name }
  }

  private func refusal(_ name: String, _ value: String, _ expected: String) -> Refusal {
    Refusal(path: path, "has \(name)=\(value); it must be \(expected)")
  }
}
