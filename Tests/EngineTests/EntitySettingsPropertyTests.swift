import CivilTime
import JSON
import Reminders
import TestSupport
import Testing

/// Rules L1 and P10: random days of a recipient who changes settings of single entities.
@Suite struct EntitySettingsPropertyTests {
  private static let catalog = """
    catalog: notes
    events: {trial: {trial: identifier, ends: instant}, kept: {trial: identifier},
      medicine: {medicine: identifier, plan: plan?}, taken: {medicine: identifier},
      course: {course: identifier}, left: {course: identifier}}
    categories:
      NOTE:
        title: Notes
        channels: {push: true, inapp: true, sms: false}
        fallback: [sms]
    groups:
      notes: {enabled: true, time: "09:00", times: ["08:00", "20:00"]}
    reminders:
      ends:
        category: NOTE
        group: notes
        before: {event: trial, at: ends, days: 1, time: $time}
        cancel: kept
        expires: 12h
        messages: [{title: Ends, body: "{{trial}}"}]
      dose:
        category: NOTE
        group: notes
        since: medicine
        every: {plan: plan, at: $times}
        unless: taken
        again: {every: 1h, times: 1}
        expires: 3h
        messages: [{title: Dose, body: "{{medicine}}"}]
      day:
        category: NOTE
        group: notes
        every: {day: {at: "12:00"}}
        since: course
        until: left
        expires: 6h
        messages: [{title: Day, body: A day.}]
    """

  @Test(arguments: Seeds.all)
  func `P10: the service sends what the simulation prints`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let stage = try Stage(catalog: Self.catalog, at: "2026-03-25 06:00")
    var events = try [
      Fixtures.event(
        "start", "recipient.updated", of: "amina", at: stage.now, ["timezone": "Europe/Berlin"],
        planner: stage.planner)
    ]
    var time = stage.now
    for number in 0..<60 {
      time += .minutes(random.int(in: 1..<300))
      let (type, data) = Self.event(after: time, &random)
      events.append(
        try Fixtures.event(
          "\(number)", type, of: "amina", at: time, data, planner: stage.planner))
    }
    for event in events {
      try stage.run(to: event.time)
      if random.int(in: 0..<5) == 0 { try stage.restart() }
      try #require(stage.submit([event]).map(\.word) == ["accepted"], "seed \(seed)")
    }
    let end = time + .days(3)
    try stage.run(to: end)
    let simulated = try simulatedTimeline(events, stage.planner, until: end)
    #expect(!simulated.isEmpty, "seed \(seed)")
    expectSame(try stage.timeline, simulated, "seed \(seed)")
  }

  private static func event(
    after time: Instant, _ random: inout SplitMix64
  ) -> (type: String, data: JSONValue) {
    let name = random.pick(["a", "b", "c"])
    switch random.int(in: 0..<15) {
    case 0: return ("medicine", ["medicine": .string(name)])
    case 1: return ("medicine", ["medicine": .string(name), "plan": plan(after: time, &random)])
    case 2: return ("taken", ["medicine": .string(name)])
    case 3, 4:
      let ends = time + .hours(random.int(in: 1..<90))
      return ("trial", ["trial": .string(name), "ends": .string(ends.description)])
    case 5: return ("kept", ["trial": .string(name)])
    case 6: return ("course", ["course": .string(name)])
    case 7: return ("left", ["course": .string(name)])
    case 8:
      let isOn = JSONValue.bool(random.int(in: 0..<2) == 0)
      return ("preferences.updated", ["categories": ["NOTE": ["push": isOn]]])
    case 9:
      let window: JSONValue = ["enabled": true, "start": "07:00", "end": "13:00"]
      return ("preferences.updated", ["quietHours": random.pick([window, ["enabled": false]])])
    default: return ("preferences.updated", settings(of: name, &random))
    }
  }

  /// Returns a plan, some of whose next doses may be left out, added and moved.
  private static func plan(after time: Instant, _ random: inout SplitMix64) -> JSONValue {
    guard random.int(in: 0..<3) > 0 else { return ["times": ["10:00"]] }
    let today = LocalDate(daysSinceEpoch: Int(time.milliseconds / 86_400_000))
    let dates = (0...3).map { "\(today + $0)" }
    return [
      "times": ["10:00"], "except": [.string(random.pick(dates)), .string(random.pick(dates))],
      "also": [.string(random.pick(dates) + "T15:00"), .string(random.pick(dates))],
    ]
  }

  private static func settings(of name: String, _ random: inout SplitMix64) -> JSONValue {
    let settings: JSONValue = random.pick([
      .null, ["enabled": false], ["enabled": true], ["channels": ["sms"]],
      ["channels": ["inapp"]], ["channels": []], ["channels": ["push", "sms"]],
      ["channels": .null], ["time": "11:30"], ["times": ["09:30", "21:00"]],
    ])
    return ["reminders": ["notes": ["items": [name: settings]]]]
  }
}
