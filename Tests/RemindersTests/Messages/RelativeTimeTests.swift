import CivilTime
import JSON
import Testing

@testable import Reminders

/// Rule G4: a text with the distance to an instant is correct when it is sent.
@Suite struct RelativeTimeTests {
  private static func text(
    _ to: String, from now: String, in zone: String = "Europe/Berlin", _ language: String = "en"
  ) throws -> String {
    let tag = try #require(LanguageTag(language))
    let time = SendingTime(
      now: try utc(now), zone: try Fixtures.zone(zone), subject: try utc(to))
    return try Template(parsing: "{{until}}", names: ["until": .distance], language: tag)
      .text(number: nil, wording: Wording(textIn: tag, readIn: tag), time: time)
  }

  /// The instant of sending is 09:00 on Saturday, 7 March 2026, in Berlin.
  @Test(arguments: [
    ("2026-03-07 08:00", "now"), ("2026-03-07 08:01", "in 1 minute"),
    ("2026-03-07 08:30", "in 30 minutes"), ("2026-03-07 09:00", "in 1 hour"),
    ("2026-03-07 09:59", "in 119 minutes"), ("2026-03-07 10:00", "in 2 hours"),
    ("2026-03-07 22:59", "in 14 hours"), ("2026-03-07 23:00", "tomorrow"),
    ("2026-03-08 22:59", "tomorrow"), ("2026-03-08 23:00", "on Monday"),
    ("2026-03-13 22:59", "on Friday"), ("2026-03-13 23:00", "on March 14, 2026"),
    ("2026-03-07 07:30", "30 minutes ago"), ("2026-03-07 02:00", "6 hours ago"),
    ("2026-03-06 23:00", "today"), ("2026-03-06 22:59", "yesterday"),
    ("2026-03-05 22:59", "2 days ago"), ("2026-02-28 23:00", "6 days ago"),
    ("2026-02-28 22:59", "on February 28, 2026"),
  ])
  func `G4: minutes and hours count time, days count dates`(to: String, words: String) throws {
    #expect(try Self.text(to, from: "2026-03-07 08:00") == words)
  }

  @Test func `G4: "tomorrow" is not used for less than two hours`() throws {
    #expect(try Self.text("2026-03-07 23:15", from: "2026-03-07 22:45") == "in 30 minutes")
  }

  @Test func `G4: a change of clocks does not change the date`() throws {
    // Clocks in Berlin go forward on the 29th at 02:00.
    #expect(try Self.text("2026-03-29 00:30", from: "2026-03-28 22:15") == "tomorrow")
    #expect(try Self.text("2026-03-29 06:00", from: "2026-03-28 23:30") == "in 6 hours")
  }

  /// Translations of: in 2 hours, in 30 minutes, 3 hours ago, 5 days ago, tomorrow, yesterday.
  @Test(arguments: [
    ("en", ["in 2 hours", "in 30 minutes", "3 hours ago", "5 days ago", "tomorrow", "yesterday"]),
    ("de", ["in 2 Stunden", "in 30 Minuten", "vor 3 Stunden", "vor 5 Tagen", "morgen", "gestern"]),
    ("ar", ["خلال ساعتين", "خلال 30 دقيقة", "قبل 3 ساعات", "قبل 5 أيام", "غدًا", "أمس"]),
    (
      "fr",
      [
        "dans 2 heures", "dans 30 minutes", "il y a 3 heures",
        "il y a 5 jours", "demain", "hier",
      ]
    ),
    (
      "es",
      [
        "dentro de 2 horas", "dentro de 30 minutos", "hace 3 horas",
        "hace 5 días", "mañana", "ayer",
      ]
    ),
    ("pl", ["za 2 godziny", "za 30 minut", "3 godziny temu", "5 dni temu", "jutro", "wczoraj"]),
    ("ru", ["через 2 часа", "через 30 минут", "3 часа назад", "5 дней назад", "завтра", "вчера"]),
    (
      "lt",
      [
        "po 2 valandų", "po 30 minučių", "prieš 3 valandas",
        "prieš 5 dienas", "rytoj", "vakar",
      ]
    ),
    ("sl", ["čez 2 uri", "čez 30 minut", "pred 3 urami", "pred 5 dnevi", "jutri", "včeraj"]),
    ("ja", ["2 時間後", "30 分後", "3 時間前", "5 日前", "明日", "昨日"]),
    ("he", ["בעוד שעתיים", "בעוד 30 דקות", "לפני 3 שעות", "לפני 5 ימים", "מחר", "אתמול"]),
    ("tr", ["2 saat sonra", "30 dakika sonra", "3 saat önce", "5 gün önce", "yarın", "dün"]),
    (
      "nl",
      [
        "over 2 uur", "over 30 minuten", "3 uur geleden",
        "5 dagen geleden", "morgen", "gisteren",
      ]
    ),
    (
      "sv",
      [
        "om 2 timmar", "om 30 minuter", "för 3 timmar sedan",
        "för 5 dagar sedan", "i morgon", "i går",
      ]
    ),
    ("it", ["tra 2 ore", "tra 30 minuti", "3 ore fa", "5 giorni fa", "domani", "ieri"]),
    (
      "da",
      [
        "om 2 timer", "om 30 minutter", "for 3 timer siden",
        "for 5 dage siden", "i morgen", "i går",
      ]
    ),
    (
      "nb",
      [
        "om 2 timer", "om 30 minutter", "for 3 timer siden",
        "for 5 døgn siden", "i morgen", "i går",
      ]
    ),
    ("pt", ["em 2 horas", "em 30 minutos", "há 3 horas", "há 5 dias", "amanhã", "ontem"]),
    (
      "id",
      [
        "dalam 2 jam", "dalam 30 menit", "3 jam yang lalu",
        "5 hari yang lalu", "besok", "kemarin",
      ]
    ),
    ("ms", ["dalam 2 jam", "dalam 30 minit", "3 jam lalu", "5 hari lalu", "esok", "semalam"]),
    ("zh-hant", ["2 小時後", "30 分鐘後", "3 小時前", "5 天前", "明天", "昨天"]),
  ])
  func `G4: relative times have the words of the CLDR`(language: String, words: [String]) throws {
    let now = "2026-03-06 12:00"
    let texts = try [
      "2026-03-06 14:00", "2026-03-06 12:30", "2026-03-06 09:00", "2026-03-01 12:00",
      "2026-03-07 12:00", "2026-03-05 12:00",
    ].map { try Self.text($0, from: now, in: "UTC", language) }
    #expect(texts == words)
  }

  @Test(arguments: [
    ("de", "am Montag", "am 16. März 2026"), ("fr", "lundi", "le 16 mars 2026"),
    ("ar", "يوم الاثنين", "في 16 مارس 2026"), ("pl", "w poniedziałek", "16 marca 2026"),
    ("fi", "maanantaina", "16. maaliskuuta 2026"), ("he", "ביום שני", "ב-16 במרץ 2026"),
    ("pt-br", "na segunda-feira", "em 16 de março de 2026"), ("ja", "月曜日", "2026年3月16日"),
    ("de-at", "am Montag", "am 16. März 2026"), ("no", "på mandag", "16. mars 2026"),
  ])
  func `G4: weekdays and dates have the form used in a sentence`(
    language: String, weekday: String, date: String
  ) throws {
    #expect(try Self.text("2026-03-09 12:00", from: "2026-03-07 12:00", language) == weekday)
    #expect(try Self.text("2026-03-16 12:00", from: "2026-03-07 12:00", language) == date)
  }

  @Test func `G4: every language with dates has relative times`() throws {
    for name in LocalWords.all.keys.sorted() {
      let tag = try #require(LanguageTag(name))
      #expect(RelativeWords.of(tag) != nil, "\(name)")
      for minutes in [0, 1, 2, 5, 21, 60, 180, 1_440, 3 * 1_440, 9 * 1_440] {
        for sign in [1, -1] {
          let now = try utc("2026-03-07 12:00")
          let time = SendingTime(now: now, zone: try Fixtures.zone("UTC"))
          let text = Wording(textIn: tag, readIn: tag).distance(
            to: now + .minutes(sign * minutes), time)
          #expect(!text.isEmpty && !text.contains { "#{}|_".contains($0) }, "\(name): \(text)")
        }
      }
    }
  }

  @Test func `G4: a language without relative times is an error`() {
    #expect(throws: TemplateError.self) {
      try Template(
        parsing: "{{until}}", names: ["until": .distance],
        language: try #require(LanguageTag("eu")))
    }
  }

  // MARK: - Reminders

  private static let catalog = Fixtures.catalog(
    events: """
      {cleaning.booked: {visit: identifier, at: instant}, run.logged: {name: text},
        home.left: {}}
      """,
    reminders: [
      "ahead": """
      before: {event: cleaning.booked, at: at, by: [24h, 2h]}, expires: 12h,
        messages: [{title: "Cleaning {{until}} ({{hours}})", body: "{{at.until}}"}]
      """,
      "dates": """
      before: {event: cleaning.booked, at: at, days: 3, time: "12:00"}, expires: 3d,
        messages: [{title: "{{days | =0: today | =1: tomorrow | other: in # days}}", body: "-"}]
      """,
      "reached": """
      on: {event: run.logged, at: "18:00"}, expires: 9d,
        messages: [{title: "{{name}} {{since}}", body: "-"}]
      """,
      "away": """
      idle: {event: home.left, days: 2}, expires: 3d,
        messages: [{title: "{{days}} days, {{since}}", body: "-"}]
      """,
    ])

  private static let bookingLine = """
    event cleaning.booked {"visit": "a", "at": "2026-03-09T06:30:00Z"}
    """

  @Test func `G4: distances in a held or early reminder count from its sending`() throws {
    try Diary.expect(
      """
      2026-03-02 00:00  quiet 22:00 07:00
      2026-03-02 12:00  \(Self.bookingLine)
      2026-03-04 07:00  > away of 2026-03-04 00:00 (quiet_hours) "2 days, 2 days ago"
      2026-03-06 12:00  > dates "in 3 days"
      2026-03-08 07:00  > ahead of 2026-03-08 06:30 (quiet_hours) "Cleaning tomorrow (23)"
      2026-03-08 21:59  > ahead of 2026-03-09 04:30 (quiet_hours) "Cleaning tomorrow (8)"
      2026-03-09 12:00  end
      """, catalog: Self.catalog)
  }

  @Test func `G4: distances in a reminder held by a vacation count from its sending`() throws {
    try Diary.expect(
      """
      2026-03-02 00:00  created
      2026-03-02 10:00  event home.left
      2026-03-02 11:00  event run.logged {"name": "10 km"}
      2026-03-02 12:00  \(Self.bookingLine)
      2026-03-02 12:30  vacation 2026-03-07
      2026-03-07 20:00  prefs {"bundling": {"threshold": 0}}
      2026-03-08 06:30  > ahead "Cleaning tomorrow (24)"
      2026-03-08 08:00  > away of 2026-03-04 10:00 (vacation) "5 days, 6 days ago"
      2026-03-08 08:00  > dates of 2026-03-06 12:00 (vacation) "tomorrow"
      2026-03-08 08:00  > reached of 2026-03-02 18:00 (vacation) "10 km 6 days ago"
      2026-03-08 12:00  end
      """, catalog: Self.catalog)
  }

  @Test func `G4: a pending reminder shows the text that will be sent`() throws {
    let planner = try Fixtures.planner(catalog: Self.catalog)
    var player = Player(planner: planner, now: try utc("2026-03-08 00:00"))
    try player.take(
      "preferences.updated",
      ["quietHours": ["enabled": true, "start": "22:00", "end": "07:00"]])
    try player.take(
      "cleaning.booked", ["visit": "a", "at": "2026-03-09T05:00:00Z"])
    let now = try utc("2026-03-08 00:00")
    let context = PlanningContext(facts: player.recipient.facts, planner: planner)
    let pending = player.recipient.pending(now: now, planner: planner)
    let titles = pending.filter { $0.reminder == Symbol("ahead") }
      .compactMap { context.message(of: $0)?.title }
    #expect(titles == ["Cleaning tomorrow (22)", "Cleaning tomorrow (7)"], "\(titles)")
    player.advance(to: try utc("2026-03-09 08:00"))
    #expect(player.entries.filter { $0.reminder == "ahead" }.map(\.title) == titles)
  }
}
