import CivilTime
import JSON
import Reminders
import TestSupport

/// Some random weeks of a recipient around a change of clocks: the events, in order.
struct Life {
  /// The optional events of a life, besides lessons, relapses, streaks and milestones.
  struct Changes: OptionSet {
    let rawValue: Int

    static let quietHours = Changes(rawValue: 1)
    static let times = Changes(rawValue: 2)
    static let switches = Changes(rawValue: 4)
    static let zones = Changes(rawValue: 8)
    static let all: Changes = [.quietHours, .times, .switches, .zones]
  }

  struct Happening {
    var time: Instant
    var type: String
    var data: JSONValue
  }

  let start: Instant
  let until: Instant
  private(set) var happenings: [Happening] = []
  private var random: SplitMix64
  private var highestLesson: Int64 = 0

  private static let zones: [(zone: String, days: [String])] = [
    ("America/New_York", ["2026-03-01", "2026-10-25"]),
    ("Australia/Lord_Howe", ["2026-03-28", "2026-09-27"]),
    ("Africa/Cairo", ["2026-04-15", "2026-10-22"]), ("Asia/Beirut", ["2026-03-22", "2026-10-18"]),
    ("America/Santiago", ["2026-03-29", "2026-08-30"]), ("Asia/Kathmandu", ["2026-05-01"]),
    ("Pacific/Chatham", ["2026-03-28", "2026-09-20"]), ("Antarctica/Troll", ["2026-03-22"]),
    ("Pacific/Kiritimati", ["2026-02-20"]), ("Europe/London", ["2026-03-20", "2026-10-18"]),
  ]
  private static let milestones: [Int64] = [1, 3, 7, 14]

  init(seed: UInt64, changes: Changes = .all, days: Int = 18) throws {
    random = SplitMix64(seed: seed)
    let sample = Self.zones[Int.random(in: 0..<Self.zones.count, using: &random)]
    let date = sample.days[Int.random(in: 0..<sample.days.count, using: &random)]
    start = try utc("\(date) 00:00") + .milliseconds(Int.random(in: 0..<86_400_000, using: &random))
    until = start + .days(days)
    add(at: start, "recipient.updated", ["timezone": .string(sample.zone)])
    var time = start
    while true {
      time += .milliseconds(Int.random(in: 1..<43_200_000, using: &random))
      guard time < until else { break }
      addSomething(at: time, changes)
    }
  }

  private mutating func addSomething(at time: Instant, _ changes: Changes) {
    switch Int.random(in: 0..<22, using: &random) {
    case 0..<6: addLesson(at: time)
    case 6..<8: add(at: time, "relapse", [:])
    case 8: add(at: time, "streak.started", [:])
    case 9..<11: add(at: time, "milestone.reached", ["days": .integer(pick(Self.milestones))])
    case 11: add(at: time, "checkin.completed", [:])
    case 12..<14 where changes.contains(.quietHours): addQuietHours(at: time)
    case 14..<16 where changes.contains(.times): addTime(at: time)
    case 16..<18 where changes.contains(.switches): addSwitch(at: time)
    case 20..<22: add(at: time, "notification.opened", ["notification": "n"])
    case 18 where changes.contains(.zones):
      add(at: time, "recipient.updated", ["timezone": .string(pick(Self.zones).zone)])
    default: break
    }
  }

  private mutating func addLesson(at time: Instant) {
    let isHigher = Int.random(in: 0..<5, using: &random) > 0 && highestLesson < 30
    if isHigher { highestLesson += 1 }
    add(
      at: time, "lesson.completed",
      ["day": .integer(isHigher || highestLesson < 2 ? max(highestLesson, 1) : highestLesson - 1)])
  }

  private mutating func addQuietHours(at time: Instant) {
    let start = Int.random(in: 0..<96, using: &random)
    let end = (start + Int.random(in: 1..<96, using: &random)) % 96
    var hours: JSONObject = [
      "enabled": .bool(Int.random(in: 0..<4, using: &random) > 0),
      "start": .string(Self.time(start)), "end": .string(Self.time(end)),
    ]
    if Bool.random(using: &random) {
      // At least one day: an empty list is refused (rule P7).
      let days =
        Weekday.allCases.filter { _ in Int.random(in: 0..<3, using: &random) > 0 }
        + [.friday]
      hours["days"] = .array(days.map { .string($0.name) })
    }
    if Bool.random(using: &random) {
      let noon = Self.time(Int.random(in: 48..<56, using: &random))
      hours["windows"] = pick([
        [], [["start": .string(noon), "end": "15:00"]],
        [
          ["days": ["sun"], "start": "00:00", "end": "24:00"],
          ["days": ["tue", "sat"], "start": .string(noon), "end": "09:30"],
        ],
      ])
    }
    add(at: time, "preferences.updated", ["quietHours": .object(hours)])
  }

  private mutating func addTime(at time: Instant) {
    let group = pick(["checkin", "lesson"])
    let newTime = Self.time(Int.random(in: 0..<96, using: &random))
    addPreference(at: time, ["reminders": .object([group: ["time": .string(newTime)]])])
  }

  private mutating func addSwitch(at time: Instant) {
    let isOn = JSONValue.bool(Bool.random(using: &random))
    let group = pick(["checkin", "lesson", "milestone"])
    let category = pick(["CHECKIN", "LESSON", "RECOVERY", "MILESTONE"])
    addPreference(
      at: time,
      pick([
        ["reminders": .object([group: ["enabled": isOn]])], ["channels": ["push": isOn]],
        ["categories": .object([category: ["push": isOn]])],
      ]))
  }

  private mutating func addPreference(at time: Instant, _ document: JSONValue) {
    add(at: time, "preferences.updated", document)
  }

  private mutating func add(at time: Instant, _ type: String, _ data: JSONValue) {
    happenings.append(Happening(time: time, type: type, data: data))
  }

  private mutating func pick<Choice>(_ choices: [Choice]) -> Choice {
    choices[Int.random(in: 0..<choices.count, using: &random)]
  }

  /// Returns the time of day at the given quarter of an hour.
  private static func time(_ quarter: Int) -> String {
    let hour = quarter / 4
    return (hour < 10 ? "0" : "") + "\(hour):" + ["00", "15", "30", "45"][quarter % 4]
  }
}
