import CivilTime
import JSON
import Testing

@testable import Reminders

/// Messages in a recipient's language, with its formats of dates and times.
@Suite struct LocaleTests {
  private static let catalog = """
    catalog: visits
    events:
      visit.booked: {visit: identifier, at: instant, place: text}
    categories:
      VISIT: {title: Visits, channels: {push: true}}
    groups:
      visits: {enabled: true, time: "12:00"}
    reminders:
      visit:
        category: VISIT
        group: visits
        after: {event: visit.booked, delay: 1h}
        expires: 12h
        messages:
          - title: "Visit on {{at.weekday}}"
            body: "{{place}}, {{at.date}} at {{at.time}}"
            locales:
              de:
                title: "Besuch am {{at.weekday}}"
                body: "{{place}}, {{at.date}} um {{at.time}}"
              pt-BR: {title: "Visita na {{at.weekday}}", body: "{{at.date}}, {{at.time}}"}
      daily:
        category: VISIT
        group: visits
        every: {day: {at: $time}}
        expires: 12h
        messages:
          - {title: Hello, body: Hello., locales: {de: {title: Hallo, body: Hallo.}}}
    """

  private static func texts(
    _ locale: String?, zone: String = "Europe/Berlin"
  ) throws -> [String] {
    let planner = try Fixtures.planner(catalog: catalog)
    let now = try #require(Instant("2026-03-02T08:00:00Z"))
    let reader = EventReader(planner: planner)
    var recipient = Recipient(name: "amina", now: now)
    var profile: JSONObject = ["timezone": .string(zone)]
    if let locale { profile["locale"] = .string(locale) }
    let visit: JSONObject = ["visit": "v", "at": "2026-03-05T19:05:00Z", "place": "Mitte"]
    for (order, (type, data)) in [
      ("recipient.updated", profile), ("visit.booked", visit),
    ].enumerated() {
      let event = try reader.event(
        [
          "specversion": "1.0", "id": .string("e\(order)"), "source": "test",
          "type": .string(type), "subject": "amina", "time": .string(now.description),
          "data": .object(data),
        ], now: now)
      recipient.apply(event, order: Int64(order + 1), now: now, planner: planner)
    }
    let context = PlanningContext(facts: recipient.facts, planner: planner)
    return recipient.pending(now: now, planner: planner).compactMap {
      context.message(of: $0).map { "\($0.title): \($0.body)" }
    }.sorted()
  }

  @Test(arguments: [
    (nil, "Visit on Thursday: Mitte, 2026-03-05 at 20:05", "Hello: Hello."),
    ("en-US", "Visit on Thursday: Mitte, March 5, 2026 at 8:05 PM", "Hello: Hello."),
    ("en_GB", "Visit on Thursday: Mitte, 5 March 2026 at 20:05", "Hello: Hello."),
    ("de", "Besuch am Donnerstag: Mitte, 5. März 2026 um 20:05", "Hallo: Hallo."),
    ("DE-at-1996", "Besuch am Donnerstag: Mitte, 5. März 2026 um 20:05", "Hallo: Hallo."),
    ("pt-BR", "Visita na quinta-feira: 5 de março de 2026, 20:05", "Hello: Hello."),
    ("pt", "Visit on Thursday: Mitte, 2026-03-05 at 20:05", "Hello: Hello."),
    ("deu", "Visit on Thursday: Mitte, 2026-03-05 at 20:05", "Hello: Hello."),
    ("not a language", "Visit on Thursday: Mitte, 2026-03-05 at 20:05", "Hello: Hello."),
  ])
  func `a message is in the recipient's language`(
    locale: String?, visit: String, daily: String
  ) throws {
    #expect(try Self.texts(locale) == [daily, visit].sorted())
  }

  @Test func `dates are in the recipient's zone`() throws {
    #expect(
      try Self.texts("de", zone: "Pacific/Auckland").first
        == "Besuch am Freitag: Mitte, 6. März 2026 um 08:05")
  }

  @Test func `every language of the table has complete formats`() throws {
    let date = try #require(LocalDate("2026-11-09"))
    #expect(LocalWords.all.count >= 50)
    for (name, words) in LocalWords.all {
      let (text, day) = (words.date(date), words.weekday(date))
      #expect(text.contains("9") && text.contains("2026") && !text.contains("{"), "\(name)")
      #expect(!day.isEmpty && !day.contains("_") && !text.contains("_"), "\(name)")
      let times = (0..<24).compactMap { LocalTime(hour: $0, minute: 5).map(words.time) }
      #expect(Set(times).count == 24 && times.allSatisfy { !$0.contains("{") }, "\(name)")
      #expect(LanguageTag(name)?.isKnown == true)
    }
  }

  @Test(arguments: [
    ("en", "00:05", "12:05 AM"), ("en", "12:00", "12:00 PM"), ("en-gb", "09:00", "09:00"),
    ("es", "09:00", "9:00"), ("da", "09:00", "09.00"), ("ko", "21:05", "오후 9:05"),
    ("fr-ca", "21:05", "21 h 05"), ("zh-hant-tw", "21:05", "21:05"), ("en-nz", "21:05", "9:05 pm"),
  ])
  func `times use the locale's 12 or 24 hours`(locale: String, time: String, text: String) throws {
    let words = try #require(LanguageTag(locale).flatMap { LocalWords.of($0) })
    #expect(words.time(try #require(LocalTime(time))) == text)
  }

  @Test func `a language is looked up from the most specific tag`() throws {
    var tags: [String] = []
    let tag = try #require(LanguageTag("zh_Hant-x-TW"))
    _ = tag.lookup {
      tags.append("\($0)")
      return nil as Int?
    }
    #expect(tags == ["zh-hant-x-tw", "zh-hant", "zh"])
    for text in ["", "d", "de-", "-de", "de--at", "d e", "1a", "ä", "de-toolongpart"] {
      #expect(LanguageTag(text) == nil, "\(text)")
    }
  }

  @Test func `the shipped catalog imanpath has all texts in German`() throws {
    let catalog = try Fixtures.read(Fixtures.shipped("imanpath"))
    for reminder in catalog.reminders {
      for message in reminder.messages {
        let (original, german) = (message.words(for: nil), message.words(for: "de-CH"))
        #expect(
          german.language == LanguageTag("de") && original != german, "\(reminder.identifier)")
        #expect(german.body.text(number: 4) != original.body.text(number: 4))
        #expect(!german.body.text(number: 4).contains("{"))
      }
    }
    let words = try #require(catalog.reminders.first { $0.identifier == "milestone-7" })
      .messages[0].words(for: "de")
    #expect(words.title.text(number: 7) == "Meilenstein erreicht: Sabr")
    #expect(
      words.body.text(number: 7)
        == "7 Tage! Geduld - Standhaftigkeit in schweren Zeiten. Mach weiter, Allah ist mit dir.")
  }
}

/// Faults of texts in other languages are found when the catalog is read.
@Suite struct LocaleDiagnosticsTests {
  @Test(arguments: [
    ("de: {title: A, body: \"{{dya}}\"}", "12:67: {{dya}} is unknown here"),
    ("de: {title: A}", "12:50: the message in \"de\" needs \"body\""),
    ("de: {title: A, body: B, text: C}", "the message in \"de\" has no \"text\""),
    ("xq: {title: A, body: B}", "12:46: \"xq\" is not a known language"),
    ("german!: {title: A, body: B}", "12:46: a locale must be a language such as de or pt-BR"),
    ("[de]", "locales must be a mapping of names"),
  ])
  func `a fault is reported with its location`(locales: String, message: String) {
    let text = """
      catalog: notes
      categories:
        NOTE: {title: Notes, channels: {push: true}}
      groups:
        notes: {enabled: true}
      reminders:
        note:
          category: NOTE
          group: notes
          every: {day: {at: "12:00"}}
          expires: 12h
          messages: [{title: a, body: b, locales: {\(locales)}}]
      """.replacing("{[de]}", with: "[de]")
    let error = #expect(throws: CatalogErrors.self) { try Fixtures.read(text) }
    #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
  }
}
