import CivilTime
import JSON
import TestSupport
import Testing

@testable import Reminders

/// Rule G20: a date in an event is the same calendar day in every zone.
@Suite struct EventDateTests {
  private static let events = "{billed: {bill: identifier, due: date}, paid: {bill: identifier}}"

  private static let ahead = Fixtures.catalog(
    events: events,
    reminders: [
      "ahead": "before: {event: billed, at: due, days: 3, time: \"09:00\"}, cancel: paid",
      "today": "before: {event: billed, at: due, days: 0, time: \"08:00\"}, cancel: paid",
    ])

  /// A catalog with one reminder on the day itself or after it.
  private static func catalog(_ trigger: String, _ time: String, _ messages: String = "") -> String
  {
    let rest = messages.isEmpty ? "" : ", messages: [\(messages)]"
    return Fixtures.catalog(
      events: events,
      reminders: ["note": "\(trigger): {event: billed, at: due, days: 0, time: \"\(time)\"}\(rest)"]
    )
  }

  private func player(
    _ zone: String, _ catalog: String = EventDateTests.ahead, from start: String
  ) throws -> Player {
    let planner = Planner(
      catalog: try Fixtures.read(catalog), zones: try Fixtures.zones.get(),
      defaultZone: try Fixtures.zone("Europe/Berlin"))
    var player = Player(planner: planner, now: try utc(start))
    try player.take("recipient.updated", ["timezone": .string(zone), "locale": "en"])
    return player
  }

  private func bill(_ player: inout Player, due: String) throws {
    try player.take("billed", ["bill": "a", "due": .string(due)])
  }

  private func deliveries(_ player: Player) -> [String] {
    player.entries.filter { $0.outcome == .delivered }.map {
      "\($0.reminder) \($0.at.description.prefix(16))"
    }
  }

  // MARK: - Zones and clocks

  // The instants were computed with Python's zoneinfo.
  @Test(arguments: [
    ("America/New_York", "2026-12-21T14:00", "2026-12-24T13:00"),
    ("Europe/Berlin", "2026-12-21T08:00", "2026-12-24T07:00"),
    ("Pacific/Kiritimati", "2026-12-20T19:00", "2026-12-23T18:00"),
    ("Pacific/Pago_Pago", "2026-12-21T20:00", "2026-12-24T19:00"),
    ("Asia/Kathmandu", "2026-12-21T03:15", "2026-12-24T02:15"),
    ("America/St_Johns", "2026-12-21T12:30", "2026-12-24T11:30"),
  ])
  func `G20: a date is the same day in every zone`(
    zone: String, ahead: String, today: String
  ) throws {
    var player = try player(zone, from: "2026-12-01 12:00")
    try bill(&player, due: "2026-12-24")
    try player.restart()
    player.advance(to: try utc("2026-12-31 12:00"))
    #expect(deliveries(player) == ["ahead \(ahead)", "today \(today)"])
  }

  @Test(arguments: [
    ("en", ["is due tomorrow", "is due today", "was due yesterday", "was due 2 days ago"]),
    (
      "de",
      ["ist morgen fällig", "ist heute fällig", "war gestern fällig", "war vor 2 Tagen fällig"]
    ),
  ])
  func `G8: a repetition after the date names its direction`(
    locale: String, bodies: [String]
  ) throws {
    let english =
      "{{#passed}}was due {{days | =1: yesterday | other: # days ago}}{{/passed}}"
      + "{{^passed}}is due {{days | =0: today | =1: tomorrow | other: in # days}}{{/passed}}"
    let german =
      "{{#passed}}war {{days | =1: gestern | other: vor # Tagen}} fällig{{/passed}}"
      + "{{^passed}}ist {{days | =0: heute | =1: morgen | other: in # Tagen}} fällig{{/passed}}"
    let catalog = Fixtures.catalog(
      events: Self.events,
      reminders: [
        "note": "before: {event: billed, at: due, days: 1, time: \"09:00\"}, "
          + "again: {days: 1, times: 3}, messages: [{title: Bill, body: \"\(english)\", "
          + "locales: {de: {title: Bill, body: \"\(german)\"}}}]"
      ])
    var player = try player("Europe/Berlin", catalog, from: "2026-12-01 12:00")
    try player.take("recipient.updated", ["locale": .string(locale)])
    try bill(&player, due: "2026-12-24")
    player.advance(to: try utc("2026-12-31 12:00"))
    #expect(player.entries.map(\.body) == bodies)
  }

  @Test(arguments: ["{{passed}}", "{{passed | one: a | other: b}}"])
  func `G11: a placeholder that only selects parts has no text`(text: String) {
    let catalog = Self.catalog("before", "09:00", "{title: Bill, body: \"\(text)\"}")
    let error = #expect(throws: CatalogErrors.self) { try Fixtures.read(catalog) }
    #expect(error.map { "\($0)".contains("write {{#passed}} or {{^passed}}") } == true)
  }

  @Test func `G20: a date follows the recipient into another zone, without a repetition`() throws {
    var player = try player("Europe/Berlin", from: "2026-12-01 12:00")
    try bill(&player, due: "2026-12-24")
    player.advance(to: try utc("2026-12-21 09:00"))
    try player.take("recipient.updated", ["timezone": "America/New_York"])
    player.advance(to: try utc("2026-12-31 12:00"))
    #expect(deliveries(player) == ["ahead 2026-12-21T08:00", "today 2026-12-24T13:00"])
  }

  @Test func `G20: a time that a new zone moves into the past is sent at once`() throws {
    var player = try player("America/New_York", from: "2026-12-01 12:00")
    try bill(&player, due: "2026-12-24")
    player.advance(to: try utc("2026-12-24 09:00"))
    try player.take("recipient.updated", ["timezone": "Europe/Berlin"])
    player.advance(to: try utc("2026-12-31 12:00"))
    #expect(deliveries(player) == ["ahead 2026-12-21T14:00", "today 2026-12-24T09:00"])
  }

  /// The bill is reported at 09:30 in Berlin, and the zone a minute later.
  @Test(arguments: [
    ("before: {event: billed, at: due, days: [3, 0], time: \"09:00\"}", "2026-12-24"),
    ("past: {event: billed, at: due, days: 1, time: \"09:00\"}", "2026-12-20"),
  ])
  func `T5: a lead that a new zone moves before the report of its entity is sent`(
    trigger: String, due: String
  ) throws {
    let catalog = Fixtures.catalog(events: Self.events, reminders: ["note": trigger])
    var player = try player("America/New_York", catalog, from: "2026-12-21 08:30")
    try bill(&player, due: due)
    player.advance(to: try utc("2026-12-21 08:31"))
    try player.take("recipient.updated", ["timezone": "Europe/Berlin"])
    player.advance(to: try utc("2026-12-22 12:00"))
    #expect(deliveries(player) == ["note 2026-12-21T08:31"])
  }

  /// Quiet hours hold the reminder until 07:00 in New York. The move is at 00:30 on 25 December in
  /// Kiritimati.
  @Test(arguments: [
    (nil, ["note 2026-12-24T12:00"]), ("Pacific/Kiritimati", []),
  ])
  func `G20: a held reminder is not sent after its date has ended in a new zone`(
    zone: String?, sent: [String]
  ) throws {
    let catalog = Fixtures.catalog(
      events: Self.events,
      reminders: [
        "note": "before: {event: billed, at: due, days: 1, time: \"23:00\"}, expires: 3d"
      ])
    var player = try player("America/New_York", catalog, from: "2026-12-01 12:00")
    try player.take(
      "preferences.updated",
      ["quietHours": ["enabled": true, "start": "22:00", "end": "07:00"]])
    try bill(&player, due: "2026-12-24")
    player.advance(to: try utc("2026-12-24 10:30"))
    if let zone { try player.take("recipient.updated", ["timezone": .string(zone)]) }
    try player.restart()
    player.advance(to: try utc("2026-12-31 12:00"))
    #expect(deliveries(player) == sent)
  }

  // The gap ends at 01:00 UTC, and the fold begins at 00:00 UTC.
  @Test(arguments: [
    ("2026-03-29", "2026-03-29T01:00"), ("2026-10-25", "2026-10-25T00:30"),
  ])
  func `T2: a date follows the rules of gaps and folds`(due: String, sent: String) throws {
    var player = try player(
      "Europe/Berlin", Self.catalog("before", "02:30"), from: "2026-03-01 12:00")
    try bill(&player, due: due)
    player.advance(to: try utc("2026-12-31 12:00"))
    #expect(deliveries(player) == ["note \(sent)"])
  }

  @Test(arguments: [("before", "2011-12-29T19:00"), ("past", "2011-12-30T19:00")])
  func `T2: a skipped date is reminded of on the date before or after it`(
    trigger: String, sent: String
  ) throws {
    var player = try player(
      "Pacific/Apia", Self.catalog(trigger, "09:00"), from: "2011-12-01 12:00")
    try bill(&player, due: "2011-12-30")
    player.advance(to: try utc("2012-01-31 12:00"))
    #expect(deliveries(player) == ["note \(sent)"])
  }

  // MARK: - Reports

  // In New York the date ends at 05:00 UTC on the next one.
  @Test(arguments: [
    ("2026-12-25 04:59", ["today 2026-12-25T04:59"]), ("2026-12-25 05:00", []),
  ])
  func `T13: a date that is reported on its day is reminded of until the day ends`(
    reported: String, sent: [String]
  ) throws {
    var player = try player("America/New_York", from: reported)
    try bill(&player, due: "2026-12-24")
    player.advance(to: try utc("2026-12-31 12:00"))
    #expect(deliveries(player).filter { $0.hasPrefix("today") } == sent)
  }

  @Test func `G20: another date replaces the reminders, and the same date repeats none`() throws {
    var player = try player("Europe/Berlin", from: "2026-12-01 12:00")
    try bill(&player, due: "2026-12-10")
    player.advance(to: try utc("2026-12-08 12:00"))
    try bill(&player, due: "2026-12-10")
    player.advance(to: try utc("2026-12-09 12:00"))
    try bill(&player, due: "2026-12-24")
    player.advance(to: try utc("2026-12-22 12:00"))
    try player.take("paid", ["bill": "a"])
    player.advance(to: try utc("2026-12-31 12:00"))
    #expect(deliveries(player) == ["ahead 2026-12-07T08:00", "ahead 2026-12-21T08:00"])
  }

  @Test func `G20: a text writes the date and its distance without a time`() throws {
    let message =
      "{title: \"{{bill}}: {{due}}\", "
      + "body: \"{{due.weekday}}, {{due.longDate}}, "
      + "{{days | =0: today | one: in # day | other: in # days}}\"}"
    var player = try player(
      "Pacific/Kiritimati", Self.catalog("before", "08:00", message), from: "2026-12-01 12:00")
    try bill(&player, due: "2026-12-24")
    player.advance(to: try utc("2026-12-31 12:00"))
    let entry = try #require(player.entries.first)
    #expect(entry.title == "a: December 24, 2026")
    #expect(entry.body == "Thursday, Thursday, December 24, 2026, today")
  }

  @Test func `G20: facts remember an entity until its date has ended in every zone`() throws {
    let item = Item(
      type: Symbol("billed"), identifier: "a",
      stamp: Stamp(time: try utc("2026-12-01 12:00"), order: 0),
      details: [Detail(field: Symbol("due"), value: .date(try #require(LocalDate("2026-12-24"))))])
    #expect(item.latestInstant == (try utc("2026-12-26 00:00")))
  }

  // MARK: - Refusals

  @Test(arguments: [
    "2026-02-29", "2026-12-24T09:00:00Z", "0000-12-24", "12026-12-24", "24.12.2026", "2026-12-4",
    "",
  ])
  func `G20: a value that is no date is refused with the value`(text: String) throws {
    var player = try player("Europe/Berlin", from: "2026-12-01 12:00")
    let refusal = #expect(throws: Refusal.self) { try bill(&player, due: text) }
    #expect(
      refusal?.description
        == "data.due must be an existing date such as \"2026-12-24\", without a time, of a year "
        + "from 0001 to 9999; it is \"\(text)\"")
  }

  @Test(arguments: [
    (
      "before: {event: billed, at: due, by: 24h}",
      "\"by\" counts from an instant, and the field is a date; write \"days\" and \"time\" "
        + "instead, such as days: 1, time: \"09:00\""
    ),
    (
      "every: {day: {at: \"09:00\"}}, upcoming: {event: billed, at: due, within: 24h}",
      "\"due\" is not an instant that billed carries"
    ),
    (
      "before: {event: billed, at: due, days: 1, time: \"09:00\"}, "
        + "messages: [{title: N, body: \"{{until}}\"}]", "{{until}} is unknown here"
    ),
  ])
  func `G20: a catalog that takes a date for an instant is refused`(
    reminder: String, fault: String
  ) {
    let error = #expect(throws: CatalogErrors.self) {
      try Fixtures.read(Fixtures.catalog(events: Self.events, reminders: ["note": reminder]))
    }
    let diagnostics = error?.diagnostics.map(\.description) ?? []
    #expect(diagnostics.count == 1 && diagnostics[0].contains(fault), "\(diagnostics)")
  }
}
