import CivilTime
import JSON
import Testing

@testable import Reminders

/// Rule G23: reminders in weeks of a programme that starts on a date in an event.
@Suite struct WeekTests {
  private static let events =
    "{expected: {child: identifier, start: date}, ended: {child: identifier}}"
  private static let weeks =
    "weeks: [{from: 28, to: 36, step: 2}, {from: 37, to: 40}, 28], time: \"09:00\""

  private static func catalog(_ trigger: String) -> String {
    Fixtures.catalog(
      events: events,
      reminders: [
        "visit": "\(trigger): {event: expected, at: start, \(weeks)}, cancel: ended, expires: 2d, "
          + "messages: [{title: \"Week {{weeks}}\", body: \"Visit.\"}]"
      ])
  }

  private func player(
    _ zone: String, _ trigger: String = "past", from start: String
  ) throws -> Player {
    let planner = Planner(
      catalog: try Fixtures.read(Self.catalog(trigger)), zones: try Fixtures.zones.get(),
      defaultZone: try Fixtures.zone("UTC"))
    var player = Player(planner: planner, now: try utc(start))
    try player.take("recipient.updated", ["timezone": .string(zone)])
    return player
  }

  private func deliveries(_ player: Player) -> [String] {
    player.entries.filter { $0.outcome == .delivered }.map {
      "\($0.at.description.prefix(16)) \($0.title)"
    }
  }

  // The instants were computed with Python's zoneinfo. The clocks of Berlin change on 25 October.
  @Test func `G23: weeks count local dates from a date, at a time of day`() throws {
    var player = try player("Europe/Berlin", from: "2026-03-02 12:00")
    try player.take("expected", ["child": "a", "start": "2026-02-02"])
    try player.restart()
    player.advance(to: try utc("2026-12-31 12:00"))
    #expect(
      deliveries(player) == [
        "2026-08-17T07:00 Week 28", "2026-08-31T07:00 Week 30", "2026-09-14T07:00 Week 32",
        "2026-09-28T07:00 Week 34", "2026-10-12T07:00 Week 36", "2026-10-19T07:00 Week 37",
        "2026-10-26T08:00 Week 38", "2026-11-02T08:00 Week 39", "2026-11-09T08:00 Week 40",
      ])
  }

  @Test func `G23: weeks that have passed are not sent, and a new date moves the others`() throws {
    var player = try player("UTC", from: "2026-03-02 12:00")
    // Week 36 began at 09:00 on the day of the report.
    player.advance(to: try utc("2026-10-12 12:00"))
    try player.take("expected", ["child": "a", "start": "2026-02-02"])
    player.advance(to: try utc("2026-10-20 12:00"))
    #expect(deliveries(player) == ["2026-10-19T09:00 Week 37"])
    try player.take("expected", ["child": "a", "start": "2026-02-05"])
    player.advance(to: try utc("2026-10-30 12:00"))
    #expect(
      deliveries(player).dropFirst() == ["2026-10-22T09:00 Week 37", "2026-10-29T09:00 Week 38"])
    try player.take("ended", ["child": "a"])
    player.advance(to: try utc("2026-12-31 12:00"))
    #expect(deliveries(player).count == 3)
  }

  @Test func `G23: weeks may also precede a date`() throws {
    var player = try player("UTC", "before", from: "2026-03-02 12:00")
    try player.take("expected", ["child": "a", "start": "2026-12-21"])
    player.advance(to: try utc("2026-12-31 12:00"))
    #expect(
      deliveries(player) == [
        "2026-03-16T09:00 Week 40", "2026-03-23T09:00 Week 39", "2026-03-30T09:00 Week 38",
        "2026-04-06T09:00 Week 37", "2026-04-13T09:00 Week 36", "2026-04-27T09:00 Week 34",
        "2026-05-11T09:00 Week 32", "2026-05-25T09:00 Week 30", "2026-06-08T09:00 Week 28",
      ])
  }

  @Test func `T13: if all weeks before a date have passed, the latest is sent at once`() throws {
    var player = try player("UTC", "before", from: "2026-07-01 12:00")
    try player.take("expected", ["child": "a", "start": "2026-12-21"])
    player.advance(to: try utc("2026-12-31 12:00"))
    #expect(deliveries(player) == ["2026-07-01T12:00 Week 24"])
  }

  @Test func `G8: the date of weeks passes at the end of its day`() throws {
    let zone = try Fixtures.zone("UTC")
    let subject = Subject(count: .weeks(try #require(LocalDate("2026-02-02"))))
    #expect(subject.passing(in: zone) == (try utc("2026-02-03 00:00")))
  }

  @Test func `G23: a text gives whole weeks at the instant of sending`() throws {
    let zone = try Fixtures.zone("UTC")
    let start = try #require(LocalDate("2026-02-02"))
    for (instant, weeks) in [
      ("2026-02-02 00:00", 0), ("2026-02-08 23:59", 0), ("2026-02-09 00:00", 1),
      ("2026-02-15 23:59", 1), ("2026-01-27 00:00", 0), ("2026-01-26 23:59", 1),
    ] as [(String, Int64)] {
      #expect(Count.weeks(start).number(at: try utc(instant), in: zone) == weeks, "\(instant)")
    }
  }

  @Test(arguments: [
    ("[1, 521]", "weeks must be whole numbers from 0 to 520, or ranges such as {from: 28, to: 36"),
    ("[]", "weeks must name 1 to 100 weeks; they are 0"),
    ("{from: 0, to: 100}", "weeks must name 1 to 100 weeks; they are 101"),
    ("{from: 3, to: 1}", "\"from\" must not be after \"to\", both from 0 to 520"),
    ("{from: 1, to: 3, step: 0}", "and \"step\" from 1 to 52"),
    ("{from: 3}", "\"weeks\" needs \"to\""), ("$count", "weeks must be whole numbers"),
  ])
  func `G11: a mistake in weeks is explained`(weeks: String, text: String) {
    let catalog = Self.catalog("past").replacing(
      Self.weeks, with: "weeks: \(weeks), time: \"09:00\"")
    let error = #expect(throws: CatalogErrors.self) { try Fixtures.read(catalog) }
    #expect(error.map { "\($0)".contains(text) } == true, "\(error.map { "\($0)" } ?? "")")
  }

  @Test(arguments: [("{from: 1, to: 24}", 65), ("{from: 1, to: 25}", 64)])
  func `H12: entities with more than 24 weeks are limited as plans are`(
    weeks: String, accepted: Int
  ) throws {
    let catalog = Self.catalog("past").replacing(
      Self.weeks, with: "weeks: \(weeks), time: \"09:00\"")
    var player = Player(
      planner: try Fixtures.planner(catalog: catalog), now: try utc("2026-03-02 12:00"))
    func data(_ number: Int) -> JSONValue {
      ["child": .string("\(number)"), "start": "2026-03-02"]
    }
    for number in 0..<accepted { try player.take("expected", data(number)) }
    guard accepted == EntityPlan.plansMax else { return }
    #expect(throws: Refusal.self) { try player.take("expected", data(accepted)) }
    try player.take("expected", data(0))
    try player.take("ended", ["child": "1"])
    try player.take("expected", data(accepted))
  }

  /// Four reminders count 100 weeks each, so that an entity has 400 occurrences.
  @Test func `H12: an entity counts as a plan for each hundred of its weeks`() throws {
    let reminder =
      "past: {event: expected, at: start, weeks: {from: 1, to: 100}, time: \"09:00\"}, "
      + "cancel: ended, expires: 2d, messages: [{title: Week, body: Visit.}]"
    let catalog = Fixtures.catalog(
      events: Self.events,
      reminders: ["one": reminder, "two": reminder, "three": reminder, "four": reminder])
    var player = Player(
      planner: try Fixtures.planner(catalog: catalog), now: try utc("2026-03-02 12:00"))
    func data(_ number: Int) -> JSONValue {
      ["child": .string("\(number)"), "start": "2026-03-02"]
    }
    for number in 0..<16 { try player.take("expected", data(number)) }
    #expect(throws: Refusal.self) { try player.take("expected", data(16)) }
    try player.take("expected", data(0))
    try player.take("ended", ["child": "1"])
    try player.take("expected", data(16))
    let items = PlanningContext(facts: player.recipient.facts, planner: player.planner)
      .openItems(player.recipient.progress)
    #expect(items.count == 16)
  }

  @Test func `G11: weeks need a time, and exclude days`() {
    for (wrong, text) in [
      ("weeks: 1", "\"weeks\" needs \"time\""),
      ("weeks: 1, days: 7, time: \"09:00\"", "needs one of \"by\", \"days\" and \"weeks\""),
    ] {
      let catalog = Self.catalog("past").replacing(Self.weeks, with: wrong)
      let error = #expect(throws: CatalogErrors.self) { try Fixtures.read(catalog) }
      #expect(error.map { "\($0)".contains(text) } == true)
    }
  }
}
