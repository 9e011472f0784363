import CivilTime
import JSON
import Reminders
import TestSupport

/// Random events of several recipients, in the order of their times. The days are around changes of
/// daylight saving time.
struct Population {
  let planner: Planner
  let start: Instant
  let until: Instant
  private(set) var events: [Event] = []
  private var random: SplitMix64
  /// The highest day of a completed lesson, by recipient.
  private var days: [String: Int64] = [:]

  private static let zones = [
    "America/New_York", "Australia/Lord_Howe", "Africa/Cairo", "Asia/Kathmandu", "UTC",
    "Pacific/Chatham", "Pacific/Kiritimati", "Europe/London", "America/Santiago",
  ]
  private static let milestones: [Int64] = [1, 3, 7, 14]

  /// - Parameter isErasing: Whether recipients are sometimes erased.
  init(seed: UInt64, days: Int = 12, isErasing: Bool = true, planner: Planner) throws {
    self.planner = planner
    random = SplitMix64(seed: seed)
    let date = ["2026-03-05", "2026-03-26", "2026-04-20", "2026-10-20"][random.int(in: 0..<4)]
    start = try utc("\(date) 00:00") + .milliseconds(random.int(in: 0..<86_400_000))
    until = start + .days(days)
    let names = (1...random.int(in: 1..<6)).map { "u\($0)" }
    var time = start
    while time < until {
      for _ in 0..<random.int(in: 1..<4) {
        let name = names[random.int(in: 0..<names.count)]
        // One event in six has the instant of the previous event.
        if random.int(in: 0..<6) > 0 { time += .milliseconds(random.int(in: 1..<9_000_000)) }
        guard time < until else { break }
        let isErasure = isErasing && random.int(in: 0..<40) == 0
        // An occurrence that is due at the very instant of an erasure reaches no sink. The
        // simulation, which has no sinks, would expect its delivery.
        if isErasure { time += .milliseconds(1) }
        try isErasure ? add(name, time, "recipient.deleted", [:]) : addRandomEvent(name, time)
      }
    }
  }

  private mutating func addRandomEvent(_ name: String, _ time: Instant) throws {
    switch random.int(in: 0..<28) {
    case 0..<5: try addLesson(name, time)
    case 5..<8: try add(name, time, "relapse", [:])
    case 8: try add(name, time, "streak.started", [:])
    case 9..<11:
      try add(name, time, "milestone.reached", ["days": .integer(random.pick(Self.milestones))])
    case 11..<14: try add(name, time, "preferences.updated", quietHours())
    case 14..<16: try add(name, time, "preferences.updated", timeOfDay())
    case 16..<18: try add(name, time, "preferences.updated", randomSwitch())
    case 18..<26: try add(name, time, "notification.opened", ["notification": "n"])
    default:
      try add(name, time, "recipient.updated", ["timezone": .string(random.pick(Self.zones))])
    }
  }

  private mutating func addLesson(_ name: String, _ time: Instant) throws {
    let day = min(30, max(1, (days[name] ?? 0) + Int64(random.int(in: -1..<3))))
    days[name] = max(day, days[name] ?? 0)
    try add(name, time, "lesson.completed", ["day": .integer(day)])
  }

  private mutating func quietHours() -> JSONValue {
    let start = random.int(in: 0..<96)
    let end = (start + random.int(in: 1..<96)) % 96
    return [
      "quietHours": [
        "enabled": .bool(random.int(in: 0..<4) > 0), "start": .string(Self.time(start)),
        "end": .string(Self.time(end)),
      ]
    ]
  }

  private mutating func timeOfDay() -> JSONValue {
    let time = JSONValue.string(Self.time(random.int(in: 0..<96)))
    return ["reminders": .object([random.pick(["checkin", "lesson"]): ["time": time]])]
  }

  private mutating func randomSwitch() -> JSONValue {
    let isOn = JSONValue.bool(random.int(in: 0..<3) > 0)
    return random.pick([
      ["reminders": .object([random.pick(["checkin", "lesson", "milestone"]): ["enabled": isOn]])],
      ["channels": ["push": isOn]], ["master": isOn],
      ["categories": .object([random.pick(["CHECKIN", "RECOVERY"]): ["push": isOn]])],
    ])
  }

  private mutating func add(
    _ name: String, _ time: Instant, _ type: String, _ data: JSONValue
  ) throws {
    events.append(
      try Fixtures.event("\(events.count)", type, of: name, at: time, data, planner: planner))
  }

  /// Returns the time of day that is `quarter` quarters of an hour after midnight.
  private static func time(_ quarter: Int) -> String {
    let hour = quarter / 4
    return (hour < 10 ? "0" : "") + "\(hour):" + ["00", "15", "30", "45"][quarter % 4]
  }
}

extension SplitMix64 {
  mutating func int(in range: Range<Int>) -> Int {
    Int.random(in: range, using: &self)
  }

  mutating func pick<Choice>(_ choices: [Choice]) -> Choice {
    choices[int(in: 0..<choices.count)]
  }
}
