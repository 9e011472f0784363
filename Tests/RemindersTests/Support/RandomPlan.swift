import CivilTime
import JSON
import TestSupport

/// A random plan, as an event reports it, and its doses by a model that examines each day.
struct RandomPlan {
  private(set) var minutes: [Int] = []
  private(set) var from: LocalDate?
  private(set) var fromMinute = 0
  private(set) var until: LocalDate?
  private(set) var count: Int?
  private(set) var days: Set<Weekday>?
  private(set) var every: (unit: String, step: Int)?
  private(set) var cycle: (on: Int, off: Int)?
  private(set) var zone: String?
  private(set) var exceptions: [LocalDate] = []
  /// The further doses; the minute is nil for a date with the plan's times.
  private(set) var additions: [(date: LocalDate, minute: Int?)] = []

  init(_ random: inout SplitMix64, around instant: Instant) {
    let today = LocalDate(daysSinceEpoch: Int(instant.milliseconds / 86_400_000))
    let minute = 5 * Int.random(in: 0..<12, using: &random)
    let hours = (0..<Int.random(in: 1...4, using: &random)).map { _ in
      Int.random(in: 0..<24, using: &random)
    }
    minutes = Set(hours).sorted().map { 60 * $0 + minute }
    if Int.random(in: 0..<4, using: &random) > 0 {
      from = today + Int.random(in: -40...10, using: &random)
      if Bool.random(using: &random) { fromMinute = minutes[minutes.count / 2] }
      if Bool.random(using: &random) { count = Int.random(in: 1...60, using: &random) }
      addSteps(&random)
    }
    if every == nil || every?.unit == "weeks", Bool.random(using: &random) {
      // A cycle may miss a day of the week for ever, but not that of its first date.
      let always = cycle == nil ? Weekday.friday : from?.weekday ?? .friday
      days = Set(Weekday.allCases.filter { _ in Bool.random(using: &random) } + [always])
    }
    if Int.random(in: 0..<4, using: &random) == 0 {
      until = (from ?? today) + Int.random(in: 40...90, using: &random)
    }
    if Int.random(in: 0..<3, using: &random) == 0 {
      zone = Bool.random(using: &random) ? "Europe/Berlin" : "Australia/Lord_Howe"
    }
    if Bool.random(using: &random) { addChanges(&random, around: today) }
  }

  /// Adds exceptions, most of them near the first dates, and fewer doses than the plan counts.
  private mutating func addChanges(_ random: inout SplitMix64, around today: LocalDate) {
    let start = from ?? today
    let additionsMax = count.map { ($0 - 1) / minutes.count } ?? 8
    additions = (0..<Int.random(in: 0...min(additionsMax, 8), using: &random)).map { _ in
      let date = start + Int.random(in: -10...110, using: &random)
      let minute = 15 * Int.random(in: 0..<96, using: &random)
      return (date, [nil, minutes[0], minute].randomElement(using: &random) ?? nil)
    }
    // A short plan keeps a dose.
    guard until == nil || !additions.isEmpty else { return }
    exceptions = (0..<Int.random(in: 0...12, using: &random)).map { _ in
      start + Int.random(in: -3...25, using: &random)
    }
  }

  private mutating func addSteps(_ random: inout SplitMix64) {
    switch Int.random(in: 0..<5, using: &random) {
    case 0: every = ("days", Int.random(in: 2...9, using: &random))
    case 1: every = ("weeks", Int.random(in: 1...3, using: &random))
    case 2: every = ("months", Int.random(in: 1...3, using: &random))
    case 3:
      cycle = (Int.random(in: 1...21, using: &random), Int.random(in: 1...9, using: &random))
    default: break
    }
  }

  var json: JSONValue {
    var plan: JSONObject = ["times": .array(minutes.map { .string(Self.time($0)) })]
    if let from {
      plan["from"] = .string(fromMinute == 0 ? "\(from)" : "\(from)T\(Self.time(fromMinute))")
    }
    if let until { plan["until"] = .string("\(until)") }
    if let count { plan["count"] = .integer(Int64(count)) }
    if let days { plan["days"] = .array(days.map { .string($0.name) }) }
    if let every { plan["every"] = .object([every.unit: .integer(Int64(every.step))]) }
    if let cycle {
      plan["cycle"] = ["on": .integer(Int64(cycle.on)), "off": .integer(Int64(cycle.off))]
    }
    if let zone { plan["zone"] = .string(zone) }
    if !exceptions.isEmpty { plan["except"] = .array(exceptions.map { .string("\($0)") }) }
    if !additions.isEmpty {
      plan["also"] = .array(
        additions.map { date, minute in
          .string("\(date)" + (minute.map { "T" + Self.time($0) } ?? ""))
        })
    }
    return .object(plan)
  }

  private static func time(_ minute: Int) -> String {
    "\(LocalTime(minuteOfDay: minute) ?? .midnight)"
  }

  // MARK: - Model

  /// Returns the doses up to a date, in order: by walking over all days from the beginning, and
  /// adding the further doses.
  ///
  /// - Parameter today: The local date of the event, with which a plan without `from` begins.
  func doses(through end: LocalDate, today: LocalDate) -> [LocalDateTime] {
    let further = Set(
      additions.flatMap { date, minute in
        (minute.map { [$0] } ?? minutes).map { LocalDateTime(date: date, secondOfDay: 60 * $0) }
      })
    var doses = further
    var date = from ?? today
    while date <= min(end, until ?? end), doses.count < count ?? .max {
      if isSelected(date), !exceptions.contains(date) {
        for minute in minutes where date != from || minute >= fromMinute {
          if doses.count < count ?? .max {
            doses.insert(LocalDateTime(date: date, secondOfDay: 60 * minute))
          }
        }
      }
      date = date + 1
    }
    return doses.filter { $0.date <= end }.sorted()
  }

  private func isSelected(_ date: LocalDate) -> Bool {
    if let days, !days.contains(date.weekday) { return false }
    guard let from else { return true }
    if let cycle, (date - from) % (cycle.on + cycle.off) >= cycle.on { return false }
    switch every {
    case ("days", let step)?: return (date - from) % step == 0
    case ("weeks", let step)?:
      return weeks(from, date) % step == 0 && (days != nil || date.weekday == from.weekday)
    case ("months", let step)?:
      guard (12 * (date.year - from.year) + date.month - from.month) % step == 0 else {
        return false
      }
      return date.day == from.day || date.day < from.day && (date + 1).day == 1
    default: return true
    }
  }

  /// Returns the number of Mondays after one date, up to another.
  private func weeks(_ one: LocalDate, _ other: LocalDate) -> Int {
    guard one < other else { return 0 }
    return (1...(other - one)).count { (one + $0).weekday == .monday }
  }
}
