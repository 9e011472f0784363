import CivilTime
import JSON
import Reminders
import Testing

@testable import Engine

/// Rule E6: the events of one request are folded together.
@Suite struct RequestTests {
  let stage: Stage

  init() throws {
    stage = try Stage(at: "2026-03-05 23:00")
  }

  private func event(
    _ type: String, _ data: JSONValue = [:], hoursAgo hours: Int, of planner: Planner? = nil
  ) throws -> Event {
    let time = stage.now - .hours(hours)
    return try Fixtures.event(
      "\(type)-\(hours)", type, of: "amina", at: time, data, planner: planner ?? stage.planner)
  }

  private static let orders = [
    [0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0],
  ]

  @Test(arguments: orders)
  func `E6: a lesson completed in the same request causes no reminder`(order: [Int]) throws {
    let lessons = try [(1, 66), (2, 44), (3, 21)].map { day, hours in
      try event("lesson.completed", ["day": .integer(Int64(day))], hoursAgo: hours)
    }
    _ = try stage.submit(order.map { lessons[$0] })
    #expect(stage.attempts.isEmpty)
    let lesson = try #require(
      try stage.agenda()?.entries.first { $0.reminder == "daily-lesson-reminder" })
    #expect(lesson.title == "Day 4 Lesson Ready")
    #expect(lesson.at == stage.now + .hours(3))
  }

  @Test(arguments: [false, true])
  func `E6: quiet hours set in a request hold the request's occurrences`(isFirst: Bool) throws {
    var events = [
      try event("relapse", hoursAgo: 30),
      try event(
        "preferences.updated",
        ["quietHours": ["enabled": true, "start": "22:00", "end": "06:00"]], hoursAgo: 40),
    ]
    if isFirst { events.reverse() }
    _ = try stage.submit(events)
    #expect(stage.attempts.isEmpty)
    try stage.run(to: "2026-03-06 06:00")
    #expect(stage.attempts.map(\.message.reminder) == ["relapse-recovery-reminder", "milestone-1"])
  }

  @Test(arguments: [false, true])
  func `E6: an occurrence moved by the same request fires at the new time`(isFirst: Bool) throws {
    var events = [
      try event("relapse", hoursAgo: 30),
      try event(
        "preferences.updated", ["reminders": ["lesson": ["time": "23:30"]]], hoursAgo: 40),
    ]
    if isFirst { events.reverse() }
    _ = try stage.submit(events)
    let recoveries = { [stage] in
      stage.attempts.filter { $0.message.reminder == "relapse-recovery-reminder" }
    }
    #expect(recoveries().isEmpty)
    try stage.run(to: "2026-03-05 23:30")
    #expect(recoveries().map(\.planned) == [stage.now])
  }

  @Test func `E6: a command applies to the occurrences that are pending at its time`() throws {
    try stage.take("lesson.completed", ["day": 1], at: stage.now - .hours(10))
    let receipts = try stage.submit([
      event("checkin.completed", hoursAgo: 5),
      event("pending.cancelled", ["reminder": "daily-lesson-reminder"], hoursAgo: 4),
      event("lesson.completed", ["day": 2], hoursAgo: 3),
      event("pending.snoozed", ["reminder": "daily-lesson-reminder", "for": "PT2H"], hoursAgo: 2),
    ])
    #expect(receipts.map(\.word) == Array(repeating: "accepted", count: 4))
    let lessons = try #require(try stage.agenda()).entries.filter {
      $0.reminder == "daily-lesson-reminder"
    }
    #expect(lessons.map(\.title) == ["Day 3 Lesson Ready"])
    #expect(lessons.map(\.at) == [stage.now + .hours(23)])
  }

  @Test func `E6: all notifications of one request are sent`() throws {
    let rooms = try Stage(catalog: Fixtures.text(of: "rooms"), at: "2026-03-05 23:00")
    let events = try (0..<40).map { index in
      try Fixtures.event(
        "\(index)", "room.liked", of: "amina", at: rooms.now - .seconds(index),
        [
          "room": ["id": "1", "name": "Rome"],
          "actor": ["id": .string("\(index)"), "username": .string("fan\(index)")],
        ], planner: rooms.planner)
    }
    _ = try rooms.submit(events)
    let bodies = Set(rooms.attempts.filter { $0.channel == .push }.map(\.message.body))
    #expect(bodies == Set((0..<40).map { "fan\($0) liked your room: Rome" }))
  }

  @Test func `H6: requested notifications beyond 1,000 in a submission are refused`() throws {
    let notes = try Stage(catalog: Fixtures.notes(channels: "inapp: true"), at: "2026-03-02 08:00")
    let events = try (0...Facts.requestsMax).map { number in
      try Fixtures.event(
        "request-\(number)", "notification.requested", of: "amina", at: notes.now,
        ["category": "NOTE", "title": "T", "body": "\(number)"], planner: notes.planner)
    }
    let receipts = try notes.submit(events)
    #expect(receipts.dropLast().allSatisfy { $0.word == "accepted" })
    #expect(try #require(receipts.last).word.contains("at most 1000 are allowed"))
    #expect(try notes.submit([events[Facts.requestsMax]]).map(\.word) == ["accepted"])
    #expect(notes.attempts.map(\.message.body) == (0...Facts.requestsMax).map { "\($0)" })
  }

  @Test func `E6: a recipient that the request erases leaves no data`() throws {
    let receipts = try stage.submit([
      event("lesson.completed", ["day": 1], hoursAgo: 20),
      event("recipient.deleted", hoursAgo: 1),
    ])
    #expect(receipts.map(\.word) == ["accepted", "accepted"])
    #expect(try stage.agenda() == nil)
    #expect(stage.attempts.isEmpty)
  }
}
