import CivilTime
import JSON
import Reminders
import Testing

/// Rules L1 and L3: the format and order of a timeline.
@Suite struct TimelineTests {
  @Test func `L3: a line has all fields of a delivery`() throws {
    let planner = try Fixtures.planner()
    let events = try Fixtures.events(
      [("u1", "2026-03-01T10:00:00Z", "lesson.completed", ["day": 3])], planner)
    let lines = try Fixtures.timeline(events, planner, until: "2026-03-02T12:00:00Z")
    let expected: JSONValue = [
      "at": "2026-03-02T10:00:00.000Z", "recipient": "u1", "reminder": "daily-lesson-reminder",
      "category": "LESSON", "channel": "push", "outcome": "delivered",
      "planned": "2026-03-02T10:00:00.000Z", "reasons": [], "title": "Day 4 Lesson Ready",
      "body": "Continue building your strength. Day 4 is ready.",
    ]
    #expect(lines.last == expected)
    #expect(lines.map { $0["reminder"] } == ["daily-checkin-reminder", "daily-lesson-reminder"])
  }

  @Test func `L1: explain adds the verdict of every gate`() throws {
    let planner = try Fixtures.planner()
    let events = try Fixtures.events(
      [("u1", "2026-03-01T10:00:00Z", "preferences.updated", Self.quietHours("20:00", "22:00"))],
      planner)
    let lines = try Fixtures.timeline(
      events, planner, until: "2026-03-01T23:00:00Z", isExplained: true)
    let trace: JSONValue = [
      "expired": "passed", "master": "passed", "category": "passed", "address": "passed",
      "vacation": "passed", "calendar": "passed", "quiet_hours": "held",
      "minimum_interval": "passed", "daily_cap": "passed",
    ]
    #expect(lines.map { $0["trace"] } == [trace])
  }

  @Test func `L3: lines are ordered by instant, recipient and reminder`() throws {
    let planner = try Fixtures.planner()
    // Check-in and first lesson at the same time of day, for three recipients.
    let sameTime: JSONValue = ["reminders": ["checkin": ["time": "08:00"]]]
    let events = try Fixtures.events(
      ["zoe", "amina", "bilal"].map {
        ($0, "2026-03-01T10:00:00Z", "preferences.updated", sameTime)
      },
      planner)
    let lines = try Fixtures.timeline(events, planner, until: "2026-03-02T09:00:00Z")
    let order = lines.map { "\($0["recipient"] ?? .null) \($0["reminder"] ?? .null)" }
    #expect(order.count == 6)
    #expect(order == order.sorted())
  }

  /// Recipients are distinguished by the bytes of their ids, even if two ids look alike. The two
  /// recipients of each pair have a line at the same instant.
  @Test func `L3: ids that look alike are ordered by their bytes`() throws {
    let planner = try Fixtures.planner()
    let names = (0..<12).flatMap { ["\($0)-\u{e9}", "\($0)-e\u{301}"] }
    let events = try Fixtures.events(
      names.map { ($0, "2026-03-01T10:00:00Z", "recipient.updated", ["name": "René"]) }, planner)
    let lines = try Fixtures.timeline(events, planner, until: "2026-03-01T22:00:00Z")
    let order = lines.compactMap { $0["recipient"]?.stringValue.map { Array($0.utf8) } }
    #expect(order.count == names.count)
    for (first, second) in zip(order, order.dropFirst())
    where first.starts(with: second.prefix(2)) {
      #expect(first.lexicographicallyPrecedes(second))
    }
  }

  /// A drop is listed at its planned instant, up to a day before the event that caused it.
  @Test(arguments: 0..<24)
  func `L3: a drop that is decided late is listed in order`(hour: Int) throws {
    let planner = try Fixtures.planner()
    let start = "2026-03-01T\(hour < 10 ? "0" : "")\(hour):00:00Z"
    let events = try Fixtures.events(
      [
        // Days are simulated in groups. The first event determines where the groups begin.
        ("u0", start, "preferences.updated", Self.times(checkin: "21:30", lesson: "00:30")),
        ("u1", "2026-03-02T00:00:00Z", "preferences.updated", Self.quietHours("20:00", "06:00")),
        // Quiet hours hold the check-in of 21:00. At 02:00 they are extended to noon, past the
        // check-in's expiry of 12 hours.
        ("u1", "2026-03-03T02:00:00Z", "preferences.updated", Self.quietHours("20:00", "12:00")),
      ], planner)
    let lines = try Fixtures.timeline(events, planner, until: "2026-03-03T12:00:00Z")
    let instants = lines.compactMap { $0["at"]?.stringValue }
    #expect(instants == instants.sorted())
    let drop = lines.first { $0["outcome"] == "dropped" }
    #expect(drop?["at"] == "2026-03-02T21:00:00.000Z")
  }

  @Test func `L1: until is the last simulated instant`() throws {
    let planner = try Fixtures.planner()
    let profile: JSONValue = ["name": "Amina"]
    let events = try Fixtures.events(
      [
        ("u1", "2026-03-01T10:00:00Z", "recipient.updated", profile),
        ("u2", "2026-03-01T21:00:00.001Z", "recipient.updated", profile),
      ], planner)
    func lines(until: String) throws -> Int {
      try Fixtures.timeline(events, planner, until: until).count
    }
    #expect(try lines(until: "2026-03-01T20:59:59.999Z") == 0)
    #expect(try lines(until: "2026-03-01T21:00:00Z") == 1)
    #expect(try lines(until: "2026-02-01T21:00:00Z") == 0)
  }

  @Test func `L1: an occurrence due at an event's instant precedes the event`() throws {
    let planner = try Fixtures.planner()
    let off: JSONValue = ["reminders": ["checkin": ["enabled": false]]]
    let events = try Fixtures.events(
      [
        ("u1", "2026-03-01T10:00:00Z", "checkin.completed", [:]),
        ("u1", "2026-03-01T21:00:00Z", "preferences.updated", off),
      ], planner)
    let lines = try Fixtures.timeline(events, planner, until: "2026-03-01T22:00:00Z")
    #expect(lines.map { $0["reminder"] } == ["daily-checkin-reminder"])
  }

  @Test func `T4: a recipient without a zone follows the default zone`() throws {
    let planner = try Fixtures.planner(defaultZone: "Asia/Tokyo")
    let events = try Fixtures.events(
      [("u1", "2026-03-01T10:00:00Z", "checkin.completed", [:])], planner)
    let lines = try Fixtures.timeline(events, planner, until: "2026-03-01T13:00:00Z")
    #expect(lines.map { $0["at"] } == ["2026-03-01T12:00:00.000Z"])
  }

  @Test func `P7: quiet hours with equal times are refused, and the event is named`() throws {
    let planner = try Fixtures.planner()
    let events = try Fixtures.events(
      [
        ("u1", "2026-03-01T10:00:00Z", "preferences.updated", ["quietHours": ["start": "08:00"]]),
        ("u1", "2026-03-01T11:00:00Z", "lesson.completed", ["day": 30]),
      ], planner)
    let end = try #require(Instant("2026-03-02T00:00:00Z"))
    var simulation = Simulation(planner: planner, events: events, until: end)
    var reminders: [String] = []
    try simulation.run { entries in reminders += entries.map(\.message.reminder) }
    #expect(reminders == ["daily-checkin-reminder"])
    #expect(
      simulation.refused.map(\.description) == [
        "event \"0\" of \"test\": data.quietHours is refused: "
          + "Start and end time cannot be the same"
      ])
  }

  @Test func `H12: a request above the limit is refused, and its event is named`() throws {
    let planner = try Fixtures.planner()
    let request: JSONValue = [
      "category": "CHECKIN", "title": "Word", "body": "-", "at": "2026-03-02T09:00:00Z",
    ]
    let events = try Fixtures.events(
      (0...Facts.requestsMax).map { _ in
        ("u1", "2026-03-01T10:00:00Z", "notification.requested", request)
      }, planner)
    let end = try #require(Instant("2026-03-02T10:00:00Z"))
    var simulation = Simulation(planner: planner, events: events, until: end)
    var sentCount = 0
    try simulation.run { entries in
      sentCount += entries.count {
        $0.message.reminder == Reminder.requested && $0.channel == .push
      }
    }
    #expect(sentCount == Facts.requestsMax)
    #expect(simulation.refused.map(\.event.identifier) == ["1000"])
  }

  private static func times(checkin: JSONValue, lesson: JSONValue) -> JSONValue {
    ["reminders": ["checkin": ["time": checkin], "lesson": ["time": lesson]]]
  }

  private static func quietHours(_ start: JSONValue, _ end: JSONValue) -> JSONValue {
    ["quietHours": ["enabled": true, "start": start, "end": end]]
  }
}
