import CivilTime
import JSON
import Testing

@testable import Reminders

/// Rules G1 and G6: an occurrence belongs to the entity of the event that it follows, even after
/// that entity was reported again.
@Suite struct EventIdentityTests {
  /// A trigger that follows an entity's latest event, its latest event that matches a condition, or
  /// its event with the highest number.
  enum Kind: String, CaseIterable {
    case latest = "after: {event: start, delay: 1d}"
    case matching = "after: {event: start, delay: 1d}, where: {level: {above: 3}}"
    case matchingSetting = "after: {event: start, delay: 1d}, where: {level: {above: $limit}}"
    case highest = "after: {event: start, highest: level, delay: 1d}"
  }

  /// A condition about reports of the same entity.
  struct Condition: Sendable, CustomTestStringConvertible {
    let text: String
    /// Whether the reminder needs such a report. Otherwise the report prevents the reminder.
    let isNeeded: Bool
    var testDescription: String { text }
  }

  static let conditions = [
    Condition(text: "cancel: report", isNeeded: false),
    Condition(text: "unless: report", isNeeded: false),
    Condition(text: "from: report", isNeeded: true),
    Condition(text: "having: {event: report, within: 1d}", isNeeded: true),
    Condition(text: "upcoming: {event: report, at: at, within: 1d}", isNeeded: true),
  ]

  private static let events =
    "{start: {thing: identifier, level: {number: [1, 9], keep: highest}}, "
    + "report: {thing: identifier, at: instant}}"

  private static func player(_ reminder: String) throws -> Player {
    let catalog = Fixtures.catalog(
      events: events, groups: "notes: {enabled: true, limit: 3}", reminders: ["it": reminder])
    return Player(
      planner: try Fixtures.planner(catalog: catalog), now: try utc("2026-03-02 10:00"))
  }

  /// Returns whether the reminder is sent for a thing that was reported twice, the second time with
  /// a lower level.
  private static func isSent(
    _ kind: Kind, _ condition: Condition, report: String?
  ) throws -> Bool {
    var player = try player("\(kind.rawValue), \(condition.text)")
    for level in [5, 2] as [Int64] {
      try player.take("start", ["thing": "same", "level": .integer(level)])
      player.advance(to: player.now + .hours(1))
    }
    player.advance(to: try utc("2026-03-03 08:00"))
    if let report {
      try player.take("report", ["thing": .string(report), "at": "2026-03-03T12:00:00Z"])
    }
    try player.restart()
    player.advance(to: try utc("2026-03-03 18:00"))
    return player.entries.contains { $0.outcome == .delivered }
  }

  @Test(arguments: Kind.allCases, conditions)
  func `G6: after an entity is reported again, conditions count only its own reports`(
    kind: Kind, condition: Condition
  ) throws {
    let needed = condition.isNeeded
    #expect(try Self.isSent(kind, condition, report: nil) == !needed)
    #expect(try Self.isSent(kind, condition, report: "other") == !needed)
    #expect(try Self.isSent(kind, condition, report: "same") == needed)
  }

  @Test(arguments: [Kind.matching, .matchingSetting, .highest])
  func `N10: the series of an entity that was reported again can be ended`(kind: Kind) throws {
    var player = try Self.player(kind.rawValue)
    for level in [5, 2] as [Int64] {
      try player.take("start", ["thing": "same", "level": .integer(level)])
      player.advance(to: player.now + .hours(1))
    }
    let context = PlanningContext(facts: player.recipient.facts, planner: player.planner)
    let reminder = try #require(player.planner.catalog.reminder(Symbol("it")))
    let key = try #require(context.occurrences(reminder).first?.key)
    try player.take(
      "pending.cancelled",
      ["reminder": "it", "occurrence": .string("\(key)"), "series": true])
    #expect(player.recipient.facts.entityStops.map(\.identifier) == ["same"])
    player.advance(to: try utc("2026-03-04 18:00"))
    #expect(player.entries.isEmpty)
  }

  @Test func `G1: the text is about the event with the highest number`() throws {
    try Diary.expect(
      """
      2026-03-02 10:00  event start {"name": "five", "level": 5}
      2026-03-02 11:00  event start {"name": "two", "level": 2}
      2026-03-02 12:00  restart
      2026-03-03 10:00  > note "five"
      2026-03-03 11:00  event start {"name": "six", "level": 6}
      2026-03-03 11:30  event start {"name": "four", "level": 4}  @ 2026-03-03 10:30
      2026-03-04 11:00  > note "six"
      2026-03-05 11:00  end
      """,
      catalog: Fixtures.catalog(
        events: "{start: {name: text, level: {number: [1, 9], keep: highest}}}",
        reminders: [
          "note": "\(Kind.highest.rawValue), messages: [{title: '{{name}}', body: b}]"
        ]))
  }

  @Test func `E1: the event with the highest number is the same in any order of arrival`() throws {
    let player = try Self.player(Kind.highest.rawValue)
    let reports: [(thing: String, level: Int64)] = [("a", 5), ("b", 5), ("a", 2), ("b", 1)]
    let events = try reports.enumerated().map { index, report in
      try EventReader(planner: player.planner).event(
        [
          "specversion": "1.0", "id": .string("\(index)"), "source": "test", "type": "start",
          "subject": "amina", "time": .string((player.now + .hours(index)).description),
          "data": ["thing": .string(report.thing), "level": .integer(report.level)],
        ], now: nil)
    }
    let orders = (0..<256).map { number in (0..<4).map { number >> (2 * $0) & 3 } }
      .filter { Set($0).count == 4 }
    try #require(orders.count == 24)
    let results = orders.map { order in
      order.reduce(into: Facts()) { $0.fold(events[$1], order: Int64($1), memory: nil) }
    }
    let peaks = results[0].items[results[0].items(of: Symbol("start highest"))]
    #expect(peaks.map(\.stamp.time) == [player.now])
    #expect(results.allSatisfy { $0 == results[0] })
  }

  @Test func `G1: where cannot be used with highest`() {
    let text = Fixtures.catalog(
      events: Self.events, reminders: ["it": "\(Kind.highest.rawValue), where: {level: 3}"])
    let error = #expect(throws: CatalogErrors.self) { try Fixtures.read(text) }
    #expect(error?.description.contains("\"where\" cannot be used with \"highest\"") == true)
  }

  /// Only the latest report of an entity is known, and that report may be later than the held
  /// occurrence.
  @Test func `G6: a later report of an entity does not end a held occurrence with having`() throws {
    try Diary.expect(
      """
      2026-03-02 08:00  quiet 12:00 16:00
      2026-03-02 09:00  event seen {"visit": "a"}
      2026-03-02 09:01  event booked {"visit": "a", "at": "2026-03-02T12:00:00Z"}
      2026-03-02 14:00  event seen {"visit": "a"}
      2026-03-02 16:00  > note of 2026-03-02 12:30 (quiet_hours)
      2026-03-02 18:00  end
      """,
      catalog: Fixtures.catalog(
        events: "{seen: {visit: identifier}, booked: {visit: identifier, at: instant}}",
        reminders: [
          "note": "past: {event: booked, at: at, by: 30m}, having: {event: seen, within: 1d}"
        ]))
  }

  // MARK: - Events without an identifier

  /// Several reminders that remember an event by its level. The symbols of some of them sort before
  /// the symbol of the event's type.
  private static let pings = Fixtures.catalog(
    events: "{ping: {level: number}}",
    reminders: [
      "each": "on: {event: ping, delay: 0s}", "one": selectingReminder, "two": selectingReminder,
      "three": selectingReminder, "four": selectingReminder, "five": selectingReminder,
      "six": selectingReminder,
      "seven": selectingReminder, "eight": selectingReminder,
    ])
  private static let selectingReminder =
    "after: {event: ping, delay: 9d}, where: {level: {above: 3}}"

  @Test func `G6: an event that several reminders remember keeps its identity`() throws {
    try Diary.expect(
      """
      2026-03-02 08:00  quiet 08:00 12:00
      2026-03-02 09:00  event ping {"level": 5}
      2026-03-02 10:00  event ping {"level": 6}
      2026-03-02 12:00  > each of 2026-03-02 09:00 (quiet_hours)
      2026-03-02 12:00  > each of 2026-03-02 10:00 (quiet_hours)
      2026-03-03 12:00  end
      """, catalog: Self.pings)
  }

  @Test func `T11: events without an identifier are remembered once after a correction`() throws {
    let planner = try Fixtures.planner(catalog: Self.pings)
    func pings(secondAt secondTime: String) throws -> [(event: Event, order: Int64)] {
      try ["09:00", secondTime].enumerated().map { index, time in
        let event = try EventReader(planner: planner).event(
          [
            "specversion": "1.0", "id": .string("\(index)"), "source": "test", "type": "ping",
            "subject": "amina", "time": .string(try utc("2026-03-02 \(time)").description),
            "data": ["level": .integer(Int64(index))],
          ], now: nil)
        return (event, Int64(index))
      }
    }
    func recipient(secondAt secondTime: String) throws -> Recipient {
      var recipient = Recipient(name: "amina", now: try utc("2026-03-02 08:00"))
      for (event, order) in try pings(secondAt: secondTime) {
        recipient.apply(
          event, order: order, now: try utc("2026-03-02 16:00"), planner: planner)
      }
      return recipient
    }
    var corrected = try recipient(secondAt: "15:00")
    let time = CorrectedTime(old: try utc("2026-03-02 15:00"), new: try utc("2026-03-02 10:00"))
    _ = corrected.correct([1: time], folding: try pings(secondAt: "10:00"), planner: planner)
    #expect(corrected.facts == (try recipient(secondAt: "10:00")).facts)
    #expect(corrected.facts.items(of: Symbol("ping")).count == 2)
  }

  // MARK: - The limit of open entities

  /// Returns the name of a reminder whose remembered events sort before those of an event type.
  private static func name(before type: String) throws -> String {
    let names = (0..<100).map { "again\($0)" }
    return try #require(names.first { Symbol("\($0) where") < Symbol(type) })
  }

  @Test func `H12: at the limit an open entity can be reported again`() throws {
    let name = try Self.name(before: "booked")
    let catalog = Fixtures.catalog(
      events: "{booked: {visit: identifier, at: instant, level: number}}",
      groups: "notes: {enabled: true, limit: 3}",
      reminders: [
        "soon": "before: {event: booked, at: at, by: 1h}",
        name: "after: {event: booked, delay: 1d}, where: {level: {above: $limit}}",
      ])
    var player = Player(
      planner: try Fixtures.planner(catalog: catalog), now: try utc("2026-03-02 10:00"))
    func book(_ index: Int, at instant: String) throws {
      try player.take(
        "booked", ["visit": .string("v\(index)"), "at": .string(instant), "level": 5])
    }
    for index in 0..<Facts.openEntitiesMax { try book(index, at: "2026-04-02T10:00:00Z") }
    #expect(throws: Never.self) { try book(0, at: "2026-04-03T10:00:00Z") }
    #expect(throws: Refusal.self) {
      try book(Facts.openEntitiesMax, at: "2026-04-03T10:00:00Z")
    }
  }
}
