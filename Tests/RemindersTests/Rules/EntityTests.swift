import CivilTime
import JSON
import Reminders
import Testing

/// Rules H12 and G6: the memory of entities, and the limit of open entities.
@Suite struct EntityTests {
  private static let catalog = Fixtures.catalog(
    events: "{visit: {visit: identifier, at: instant}, visit.off: {visit: identifier}, "
      + "seen: {item: identifier}, mail: {mail: identifier}, ping: {text: text}, "
      + "course: {course: identifier}, course.over: {course: identifier}}",
    reminders: [
      "visit-lead": "before: {event: visit, at: at, by: 2h}, cancel: visit.off",
      "mail-note": "on: {event: mail, delay: 1m}", "ping-later": "on: {event: ping, delay: 60d}",
      "near-visit": "before: {event: visit, at: at, by: 26h}, "
        + "upcoming: {event: visit, at: at, within: 30h}, cancel: visit.off",
      "second-ping": "on: {event: ping, delay: 0s}, having: {event: ping, within: 1h, times: 2}",
      "lesson": "every: {day: {at: '10:00'}}, since: course, cancel: course.over",
    ])

  private func player(at start: String = "2026-03-02 09:00") throws -> Player {
    var player = Player(planner: try Fixtures.planner(catalog: Self.catalog), now: try utc(start))
    try player.take("recipient.updated", ["timezone": "UTC"])
    return player
  }

  private func delivered(_ player: Player, _ reminder: String) -> [Player.Entry] {
    player.entries.filter { $0.reminder == reminder && $0.outcome == .delivered }
  }

  @Test func `H12: a booking stays planned after hundreds of other events`() throws {
    var player = try player()
    try player.take("visit", ["visit": "a", "at": "2026-03-20T09:00:00Z"])
    for number in 0..<600 {
      player.advance(to: player.now + .seconds(1))
      try player.take("seen", ["item": .string("\(number)")])
    }
    try player.restart()
    player.advance(to: try utc("2026-03-21 09:00"))
    #expect(delivered(player, "visit-lead").map(\.at) == [try utc("2026-03-20 07:00")])
  }

  @Test func `H12: 256 open bookings are kept, and one more is refused`() throws {
    var player = try player()
    for number in 0..<Facts.openEntitiesMax {
      player.advance(to: player.now + .seconds(1))
      let instant = try utc("2026-03-20 09:00") + .minutes(number)
      try player.take(
        "visit", ["visit": .string("\(number)"), "at": .string(instant.description)])
    }
    let extraVisit: JSONValue = ["visit": "more", "at": "2026-03-19T09:00:00Z"]
    #expect(throws: Refusal.self) { try player.take("visit", extraVisit) }
    try player.take("visit", ["visit": "0", "at": "2026-03-22T09:00:00Z"])
    try player.take("visit.off", ["visit": "1"])
    try player.take("visit", extraVisit)
    player.advance(to: try utc("2026-03-23 09:00"))
    #expect(delivered(player, "visit-lead").count == Facts.openEntitiesMax)
  }

  @Test func `H12: if one request has too many bookings, the last bookings are refused`() throws {
    let planner = try Fixtures.planner(catalog: Self.catalog)
    let now = try utc("2026-03-02 09:00")
    let recipient = Recipient(name: "amina", now: now)
    let reader = EventReader(planner: planner)
    var intake = Intake()
    var refusedCount = 0
    for number in 0..<300 {
      let event = try reader.event(
        [
          "specversion": "1.0", "id": .string("\(number)"), "source": "test", "type": "visit",
          "subject": "amina", "time": .string(now.description),
          "data": ["visit": .string("\(number)"), "at": "2026-03-20T09:00:00Z"],
        ], now: now)
      do {
        try intake.check(event, of: recipient, now: now, planner: planner)
        intake.add(Arrival(event, order: Int64(number)), of: recipient, now: now, planner: planner)
      } catch {
        #expect(error.kind == .overfull)
        refusedCount += 1
      }
    }
    #expect(refusedCount == 300 - Facts.openEntitiesMax)
  }

  @Test func `G6: an entity reported again after many other entities has no second reminder`()
    throws
  {
    var player = try player()
    try player.take("mail", ["mail": "first"])
    for number in 0..<100 {
      player.advance(to: player.now + .minutes(2))
      try player.take("mail", ["mail": .string("\(number)")])
    }
    player.advance(to: player.now + .minutes(2))
    try player.take("mail", ["mail": "first"])
    player.advance(to: player.now + .minutes(2))
    #expect(delivered(player, "mail-note").count == 101)
  }

  @Test func `H12: events without an identifier are kept until their reminders go out`() throws {
    var player = try player()
    for _ in 0..<50 {
      player.advance(to: player.now + .hours(1))
      try player.take("ping", ["text": "hello"])
    }
    for _ in 0..<50 {
      player.advance(to: player.now + .days(1))
      try player.take("seen", ["item": "x"])
    }
    player.advance(to: try utc("2026-05-10 09:00"))
    #expect(delivered(player, "ping-later").count == 50)
  }

  @Test func `G6: a series continues for each entity until that entity's end`() throws {
    var player = try player()
    try player.take("course", ["course": "a"])
    player.advance(to: try utc("2026-03-04 12:00"))
    try player.take("course", ["course": "b"])
    player.advance(to: try utc("2026-06-30 12:00"))
    try player.take("course.over", ["course": "b"])
    try player.take("course.over", ["course": "never begun"])
    player.advance(to: try utc("2026-07-04 12:00"))
    try player.take("course.over", ["course": "a"])
    player.advance(to: try utc("2026-07-10 12:00"))
    let instants = delivered(player, "lesson").map(\.at)
    #expect(instants.first == (try utc("2026-03-03 10:00")))
    #expect(instants.last == (try utc("2026-07-04 10:00")))
    #expect(instants.count == 124)
  }

  @Test func `G6: the condition upcoming refers to the occurrence's own entity`() throws {
    var player = try player()
    try player.take("visit", ["visit": "near", "at": "2026-03-03T17:00:00Z"])
    try player.take("visit", ["visit": "far", "at": "2026-03-10T17:00:00Z"])
    player.advance(to: try utc("2026-03-11 12:00"))
    let instants = delivered(player, "near-visit").map(\.at)
    #expect(instants == [try utc("2026-03-02 15:00"), try utc("2026-03-09 15:00")])
  }

  @Test func `G1: the condition having also counts the event that triggers the reminder`() throws {
    var player = try player()
    try player.take("ping", ["text": "one"])
    player.advance(to: try utc("2026-03-02 09:30"))
    #expect(delivered(player, "second-ping").isEmpty)
    try player.take("ping", ["text": "two"])
    player.advance(to: try utc("2026-03-02 09:31"))
    #expect(delivered(player, "second-ping").map(\.at) == [try utc("2026-03-02 09:30")])
  }
}
