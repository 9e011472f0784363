import CivilTime
import JSON
import Testing

@testable import Reminders

/// Rule G26: days of other calendars. The dates were computed with hijridate, convertdate and
/// pyluach.
@Suite struct OtherCalendarTests {
  private static func catalog(_ every: String, _ rest: String = "") -> String {
    Fixtures.catalog(reminders: ["note": "every: {\(every)}\(rest)"])
  }

  @Test func `G26: a reminder is sent on a day of each month of another calendar`() throws {
    try Diary.expect(
      """
      2026-01-20 12:00  created
      2026-02-01 09:00  > note
      2026-03-02 09:00  > note
      2026-04-01 09:00  > note
      2026-04-30 09:00  > note
      2026-05-01 00:00  end
      """,
      catalog: Self.catalog("month: {calendar: islamic-umalqura, day: 13, at: \"09:00\"}"))
  }

  @Test(arguments: ["last", "30", "[30, last]"])
  func `G26: a day beyond the end of a month means its last day`(day: String) throws {
    try Diary.expect(
      """
      2026-01-19 12:00  created
      2026-02-17 09:00  > note
      2026-03-19 09:00  > note
      2026-04-17 09:00  > note
      2026-05-17 08:00  end
      """,
      catalog: Self.catalog("month: {calendar: islamic-umalqura, day: \(day), at: \"09:00\"}"))
  }

  @Test(arguments: [
    ("calendar: islamic-umalqura, month: 9, day: 1", ["2026-02-18", "2027-02-08", "2028-01-28"]),
    ("calendar: persian, month: 1, day: 1", ["2026-03-21", "2027-03-21"]),
    ("calendar: persian, month: 12, day: 30", ["2026-03-20", "2027-03-20"]),
    ("calendar: hebrew, month: nisan, day: 15", ["2026-04-02", "2027-04-22"]),
    ("calendar: hebrew, month: adar-1, day: 14", ["2026-03-03", "2027-02-21"]),
    ("calendar: hebrew, month: adar, day: 14", ["2026-03-03", "2027-03-23"]),
    ("calendar: hebrew, month: heshvan, day: 30", ["2026-11-10", "2027-11-30"]),
  ])
  func `G26: a reminder is sent on a day of each year of another calendar`(
    days: String, dates: [String]
  ) throws {
    var player = Player(
      planner: try Fixtures.planner(catalog: Self.catalog("year: {\(days), at: \"09:00\"}")),
      now: try utc("2026-01-01 12:00"))
    try player.take("recipient.updated", ["name": "Amina"])
    player.advance(to: try utc("\(dates.last ?? "") 12:00"))
    #expect(player.entries.map { String($0.at.description.prefix(10)) } == dates)
  }

  @Test func `G26: the days follow the recipient's local dates, rest days and picked times`() throws
  {
    try Diary.expect(
      """
      2026-01-20 12:00  zone Asia/Tokyo
      2026-02-02 00:00  > note
      2026-02-03 00:00  end
      """,
      catalog: Self.catalog(
        "month: {calendar: islamic-umalqura, day: 13, at: \"09:00\"}",
        ", skip: {weekends: true, move: after}"))
    try Diary.expect(
      """
      2026-01-20 12:00  created
      2026-02-01 09:00  > note
      2026-02-01 10:00  > note
      2026-02-02 00:00  end
      """,
      catalog: Self.catalog(
        """
        month: {calendar: islamic-umalqura, day: 13, \
        pick: {between: ["09:00", "10:00"], times: 2, apart: 1h}}
        """))
  }

  @Test func `G26: after its last known date a calendar has no occurrence, and explain says so`()
    throws
  {
    let planner = try Fixtures.planner(
      catalog: Self.catalog("month: {calendar: islamic-umalqura, day: 13, at: \"09:00\"}"))
    let reminder = try #require(planner.catalog.reminders.first)
    let recipient = Recipient(name: "amina", now: try utc("2077-09-30 12:00"))
    let context = PlanningContext(facts: recipient.facts, planner: planner)
    let last = try #require(
      context.next(
        reminder, after: try utc("2077-09-30 12:00"), progress: recipient.progress))
    #expect(last.planned == (try utc("2077-10-30 09:00")))
    #expect(
      context.timing(of: reminder, key: last.key)
        == "Dhuʻl-Hijjah 13, 1500 AH in islamic-umalqura, which is known until 2077-11-16")
    #expect(
      context.next(reminder, after: last.planned, progress: recipient.progress) == nil)
  }

  @Test func `V8: a day of another calendar is explained`() throws {
    let text = Self.catalog("year: {calendar: hebrew, month: nisan, day: 15, at: \"09:00\"}")
    var player = Player(
      planner: try Fixtures.planner(catalog: text), now: try utc("2026-03-01 12:00"))
    try player.take("recipient.updated", ["name": "Amina"])
    let explained = try player.recipient.explain(
      .pending(reminder: "note"), now: player.now, planner: player.planner)
    #expect(explained.first?.timing == "15 Nisan 5786 in hebrew")
  }

  @Test(arguments: [
    (
      "month: {calendar: islamic, day: 13, at: \"09:00\"}",
      "\"islamic\" is not a calendar (known: islamic-umalqura, persian, hebrew)"
    ),
    (
      "month: {calendar: islamic-umalqura, day: 31, at: \"09:00\"}",
      "\"day\" must be from 1 to 30, or last"
    ),
    (
      "month: {calendar: persian, day: [], at: \"09:00\"}", "\"day\" must name a day of the month"
    ),
    (
      "year: {calendar: persian, month: 13, day: 1, at: \"09:00\"}",
      "\"month\" must be a number from 1 to 12"
    ),
    (
      "year: {calendar: hebrew, month: nissan, day: 1, at: \"09:00\"}",
      "\"nissan\" is not a month of the Hebrew calendar; did you mean \"nisan\"? (known: tishri, "
        + "heshvan, kislev, tevet, shevat, adar-1, adar, nisan, iyar, sivan, tamuz, av, elul)"
    ),
    ("year: {calendar: hebrew, day: 1, at: \"09:00\"}", "\"year\" needs \"month\""),
    (
      "month: {calendar: islamic-umalqura, day: 1, at: \"09:00\"}}, since: \"2078-01-01\"",
      "islamic-umalqura is known from 1945-12-05 to 2077-11-16, and the series begins on 2078-01-01"
    ),
  ])
  func `G26: a calendar's mistakes are reported`(every: String, reason: String) {
    let isClosed = every.hasSuffix("\"2078-01-01\"")
    let text = Fixtures.catalog(
      reminders: ["note": isClosed ? "every: {\(every)" : "every: {\(every)}"])
    let error = #expect(throws: CatalogErrors.self) { try Fixtures.read(text) }
    #expect(error?.description.contains(": " + reason) == true, "\(error?.description ?? "")")
  }

  // MARK: - Texts

  @Test(arguments: [
    ("en", CalendarSystem.umalqura, "Ramadan 12, 1447 AH"),
    ("de", .umalqura, "12. Ramadan 1447 AH"), ("ar", .umalqura, "12 رمضان، 1447 هـ"),
    ("tr", .umalqura, "Hicri 12 Ramazan 1447"), ("en", .persian, "Esfand 10, 1404 AP"),
    ("fa", .persian, "10 اسفند 1404"), ("he", .hebrew, "12 באדר 5786"),
    ("ja", .hebrew, "12 Adar 5786"),
  ])
  func `G27: a date in another calendar has the words of the CLDR`(
    language: String, calendar: CalendarSystem, text: String
  ) throws {
    let tag = try #require(LanguageTag(language))
    let date = try #require(LocalDate("2026-03-01"))
    #expect(Wording(textIn: tag, readIn: nil).date(date, in: calendar) == text)
  }

  @Test(arguments: [
    ("de", "de-DE-u-ca-persian", "10. Essfand 1404 AP"), ("de", "de-DE", "1. März 2026"),
    ("en", "de-DE-u-ca-persian", "2026-03-01"), ("de", "de-u-ca-buddhist", "1. März 2026"),
    ("ar", "ar-SA-u-ca-islamic-umalqura", "12 رمضان، 1447 هـ"),
    ("de", "de-u-nu-latn-ca-hebrew", "12. Adar 5786 AM"),
  ])
  func `G27: a date is in the calendar of the reader's locale`(
    language: String, locale: String, text: String
  ) throws {
    let tag = try #require(LanguageTag(language))
    let wording = Wording(textIn: tag, readIn: LanguageTag(locale))
    #expect(wording.date(try #require(LocalDate("2026-03-01"))) == text)
  }

  @Test func `G27: a text names the calendar of a date, and an unknown date is Gregorian`() throws {
    let text = Fixtures.catalog(
      events: "{billed: {bill: identifier, due: date}}",
      reminders: [
        "bill": """
        on: {event: billed, delay: 1h}, messages: [{title: "{{due.islamic-umalqura}}", \
        body: "{{due.hebrew}}, {{due.persian}}"}]
        """
      ])
    var player = Player(
      planner: try Fixtures.planner(catalog: text), now: try utc("2026-03-01 12:00"))
    try player.take("billed", ["bill": "a", "due": "2027-03-25"])
    try player.take("billed", ["bill": "b", "due": "2090-01-01"])
    player.advance(to: try utc("2026-03-02 12:00"))
    #expect(Set(player.entries.map(\.title)) == ["Shawwal 17, 1448 AH", "2090-01-01"])
    #expect(player.entries.contains { $0.body == "16 Adar II 5787, Farvardin 5, 1406 AP" })
  }
}
