import CivilTime
import JSON
import Reminders
import TestSupport
import Testing

/// Some random weeks of a recipient with appointments, posts and changes of settings: the events
/// and the times of their arrival.
struct Errands {
  struct Arrival {
    var arrivalTime: Instant
    var eventTime: Instant
    var type: String
    var data: JSONValue
  }

  static let catalog = Fixtures.catalog(
    events: """
      {booked: {visit: identifier, at: instant, place: text?}, cancelled: {visit: identifier},
        posted: {topic: text}, opened: {}, planned: {visit: identifier, schedule: plan?},
        taken: {visit: identifier}}
      """,
    groups: "notes: {enabled: true, advance: [24, 2], times: [\"08:00\", \"20:00\"]}",
    reminders: [
      "visit": "before: {event: booked, at: at, by: $advance}, cancel: cancelled",
      "eve": "before: {event: booked, at: at, days: [3, 1], time: \"09:00\"}, cancel: cancelled",
      "post": "on: {event: posted, delay: 1m}, again: {every: 2h, times: 2, unless: opened}",
      "dose": "every: {day: {at: $times}}, unless: opened",
      "away": "idle: {event: [opened, posted], days: 1, times: [1, 3]}",
      "course": "every: {plan: schedule, at: $times}, since: planned, cancel: cancelled, "
        + "unless: taken, pause: {event: taken, days: 1}, again: {every: 20m, times: 1}",
      "after": "after: {event: cancelled, days: 1, at: \"07:00\"}",
    ])

  let start: Instant
  let until: Instant
  private(set) var arrivals: [Arrival] = []

  /// - Parameter delayMax: The maximum delay between an event and its arrival.
  init(seed: UInt64, delayMax: TimeSpan) throws {
    var random = SplitMix64(seed: seed)
    start =
      try utc("2026-03-20 00:00") + .milliseconds(Int.random(in: 0..<86_400_000, using: &random))
    until = start + .days(16)
    for _ in 0..<Int.random(in: 20..<80, using: &random) {
      // Within nearly 14 days.
      let eventTime = start + .milliseconds(Int.random(in: 1..<1_200_000_000, using: &random))
      let limit = Bool.random(using: &random) ? 0 : Int(delayMax.milliseconds)
      let delay = TimeSpan.milliseconds(Int.random(in: 0...limit, using: &random))
      let (type, data) = Self.event(after: eventTime, &random)
      arrivals.append(
        Arrival(arrivalTime: eventTime + delay, eventTime: eventTime, type: type, data: data))
    }
    arrivals.sort { $0.arrivalTime < $1.arrivalTime }
  }

  private static func event(
    after instant: Instant, _ random: inout SplitMix64
  ) -> (String, JSONValue) {
    let visit = JSONValue.string("visit \(Int.random(in: 0..<4, using: &random))")
    switch Int.random(in: 0..<15, using: &random) {
    case 0..<4:
      let at = instant + .hours(Int.random(in: 0..<120, using: &random))
      return ("booked", ["visit": visit, "at": .string(at.description)])
    case 4: return ("cancelled", ["visit": visit])
    case 5..<7: return ("posted", ["topic": visit])
    case 7: return ("opened", [:])
    case 8:
      let zone = ["Europe/Berlin", "America/New_York", "Pacific/Auckland"]
        .randomElement(using: &random)
      return ("recipient.updated", ["timezone": .string(zone ?? "UTC")])
    case 9..<11:
      return ("planned", ["visit": visit, "schedule": RandomPlan(&random, around: instant).json])
    case 11: return ("taken", ["visit": visit])
    case 12..<14:
      let settings: [JSONValue] = [
        .null, ["enabled": false], ["times": ["09:30"]], ["channels": ["sms"]], ["channels": []],
      ]
      let name = visit.stringValue ?? ""
      let items: JSONValue = [name: settings.randomElement(using: &random) ?? .null]
      return ("preferences.updated", ["reminders": ["notes": ["items": items]]])
    default:
      let hours = Int64.random(in: 1..<48, using: &random)
      let groups: JSONValue = ["notes": ["advance": [.integer(hours), 2]]]
      return ("preferences.updated", ["reminders": groups])
    }
  }
}
