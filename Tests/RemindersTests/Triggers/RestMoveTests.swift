import CivilTime
import Holidays
import JSON
import TestSupport
import Testing

@testable import Reminders

/// Rule G14: occurrences of days of rest that are moved to working days.
@Suite struct RestMoveTests {
  private static func catalog(
    _ move: String, every: String = #"{month: {on: [1, 15, last], at: "09:00"}}"#
  ) -> String {
    """
    catalog: notes
    categories: {NOTE: {title: Notes, channels: {push: true}}}
    groups: {notes: {enabled: true}}
    reminders:
      pay:
        category: NOTE
        group: notes
        every: \(every)
        skip: {weekends: true, holidays: true, move: \(move)}
        expires: 12h
        messages: [{title: Pay, body: b}]
    """
  }

  /// Good Friday and Easter Monday of 2026, and Labour Day, which is a Friday.
  private static let holidays = """
    BEGIN:VCALENDAR\r
    BEGIN:VEVENT\r
    SUMMARY:Good Friday\r
    DTSTART;VALUE=DATE:20260403\r
    END:VEVENT\r
    BEGIN:VEVENT\r
    SUMMARY:Easter Monday\r
    DTSTART;VALUE=DATE:20260406\r
    END:VEVENT\r
    BEGIN:VEVENT\r
    SUMMARY:Labour Day\r
    DTSTART;VALUE=DATE:20260501\r
    END:VEVENT\r
    END:VCALENDAR\r

    """

  private static func player(_ catalog: String, at start: String) throws -> Player {
    let holidays = try HolidayDatabase(files: [
      CalendarFile(path: "DE.ics", content: Array(Self.holidays.utf8))
    ])
    let zones = try Fixtures.zones.get()
    let planner = Planner(
      catalog: try Fixtures.read(catalog), zones: zones,
      defaultZone: try zones.zone(named: "Europe/Berlin"), holidays: holidays)
    var player = Player(planner: planner, now: try utc(start))
    try player.take("recipient.updated", ["holidays": "DE"])
    return player
  }

  private static func dates(of player: Player) throws -> [String] {
    let zone = try Fixtures.zone("Europe/Berlin")
    return player.entries.map { entry in
      "\(zone.date(at: entry.at))" + (entry.outcome == .delivered ? "" : " \(entry.outcome)")
    }
  }

  /// The dates of a calendar on the wall. In 2026, 1 and 15 February, 1 and 15 March and 31 May are
  /// Sundays, 28 February is a Saturday, and 1 May is a holiday on a Friday.
  @Test(arguments: [
    (
      "before",
      [
        "2026-01-15", "2026-01-30", "2026-02-13", "2026-02-27", "2026-03-13", "2026-03-31",
        "2026-04-01", "2026-04-15", "2026-04-30", "2026-05-15", "2026-05-29", "2026-06-01",
      ]
    ),
    (
      "after",
      [
        "2026-01-15", "2026-02-02", "2026-02-16", "2026-03-02", "2026-03-16", "2026-03-31",
        "2026-04-01", "2026-04-15", "2026-04-30", "2026-05-04", "2026-05-15", "2026-06-01",
      ]
    ),
    (
      "nearest",
      [
        "2026-01-15", "2026-01-30", "2026-02-02", "2026-02-16", "2026-02-27", "2026-03-02",
        "2026-03-16", "2026-03-31", "2026-04-01", "2026-04-15", "2026-04-30", "2026-05-15",
        "2026-06-01",
      ]
    ),
  ])
  func `G14: an occurrence of a day of rest is sent on a working day`(
    move: String, expected: [String]
  ) throws {
    var player = try Self.player(Self.catalog(move), at: "2026-01-02 12:00")
    player.advance(to: try utc("2026-06-02 12:00"))
    #expect(try Self.dates(of: player) == expected)
  }

  /// From Good Friday through Easter Monday there are four days of rest.
  @Test(arguments: [
    ("before", "2026-04-02"), ("after", "2026-04-07"), ("nearest", "2026-04-02 2026-04-07"),
  ])
  func `G14: occurrences that fall on one date are one`(move: String, expected: String) throws {
    let week = #"{week: {on: [fri, sat, sun, mon], at: "09:00"}}"#
    var player = try Self.player(Self.catalog(move, every: week), at: "2026-03-31 12:00")
    player.advance(to: try utc("2026-04-09 12:00"))
    #expect(try Self.dates(of: player).joined(separator: " ") == expected)
  }

  /// An oracle that moves each date of a month, one by one.
  @Test(arguments: Seeds.all)
  func `G14: every selected date is sent on its working day, once`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<12 {
      let days = Set((0..<random.int(in: 1..<9)).map { _ in random.int(in: 1..<29) }).sorted()
      let weekend = Weekday.allCases.filter { _ in random.isOne(of: 3) }
      let move = random.pick(["before", "after", "nearest"])
      let every = "{month: {on: \(days), at: \"09:00\"}}"
      var player = try Self.player(Self.catalog(move, every: every), at: "2026-03-01 12:00")
      try player.take(
        "preferences.updated", ["calendar": ["weekend": .array(weekend.map { .string($0.name) })]])
      let (first, last) = (LocalDate("2026-03-02"), LocalDate("2026-07-31"))
      let span = try #require(first)...(try #require(last))
      player.advance(to: try utc("2026-07-31 20:00"))
      let isRest = { (date: LocalDate) in
        weekend.contains(date.weekday)
          || ["2026-04-03", "2026-04-06", "2026-05-01"].contains("\(date)")
      }
      var expected: Set<String> = []
      for index in -20...170 {
        let date = span.lowerBound + index
        guard days.contains(date.day) else { continue }
        let target = Self.target(of: date, move, isRest)
        if weekend.count == 7 { continue }
        if span.contains(target) { expected.insert("\(target)") }
      }
      let sent = try Self.dates(of: player).filter { !$0.contains("dropped") }
      #expect(sent == expected.sorted(), "seed \(seed): \(days) \(weekend) \(move)")
    }
  }

  private static func target(
    of date: LocalDate, _ move: String, _ isRest: (LocalDate) -> Bool
  ) -> LocalDate {
    for distance in 0...40 {
      if move != "after", !isRest(date - distance) { return date - distance }
      if move != "before", !isRest(date + distance) { return date + distance }
    }
    return date
  }

  @Test func `G14: explain names the date from which an occurrence was moved`() throws {
    let player = try Self.player(Self.catalog("before"), at: "2026-01-20 12:00")
    let pending = player.recipient.pending(now: player.now, planner: player.planner)
    let entry = try #require(pending.first)
    let context = PlanningContext(facts: player.recipient.facts, planner: player.planner)
    let reminder = try #require(player.planner.catalog.reminder(entry.reminder))
    let words = context.timing(of: reminder, key: entry.key)
    #expect(words == "moved from 2026-01-31, 2026-02-01 to the last working day before")
  }

  @Test(arguments: [
    (
      "holidays: true, move: before", "holidays: true, move: later",
      "test.yaml:9:50: \"later\" is not valid here; did you mean \"after\"? "
        + "(known: before, after, nearest)"
    ),
    (
      "weekends: true, holidays: true, move: before", "move: before",
      "test.yaml:9:18: \"move\" needs \"weekends\", \"holidays\" or \"days\" beside it"
    ),
    (
      "every: {month: {on: [1, 15, last], at: \"09:00\"}}", "after: {event: relapse, delay: 1d}",
      "test.yaml:9:50: \"move\" needs \"every\" in the reminder; remove \"move\""
    ),
  ])
  func `G14: a mistake in a move is reported with its place`(
    right: String, wrong: String, diagnostic: String
  ) throws {
    let text = Self.catalog("before").replacing(right, with: wrong)
    let errors = #expect(throws: CatalogErrors.self) {
      try Catalog(reading: [CatalogSource(file: "test.yaml", text: text)])
    }
    #expect(errors?.diagnostics.map(\.description) == [diagnostic])
  }
}
