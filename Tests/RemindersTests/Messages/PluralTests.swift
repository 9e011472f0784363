import CivilTime
import JSON
import Testing

@testable import Reminders

/// Plural categories, compared with the CLDR's samples of each category.
@Suite struct PluralTests {
  private typealias Category = PluralCategory

  private static func category(_ language: String, _ number: Double) throws -> Category {
    let rule = try #require(LanguageTag(language).flatMap { PluralRule($0) })
    return rule.category(of: LocalNumber(number).operands)
  }

  @Test(arguments: [
    ("en", "one 1", "other 0 2 5 11 21 100 1.5 0.1"),
    ("de", "one 1", "other 0 2 11 101 0.5"), ("ja", "", "other 0 1 2 1.5"),
    ("fr", "one 0 1 1.5 0.3", "other 2 17 2.1"), ("pt-BR", "one 0 1 1.5", "other 2"),
    ("pt-PT", "one 1", "other 0 2 1.5"), ("da", "one 1 0.4 1.6", "other 0 2 2.5"),
    ("hi", "one 0 1 0.4", "other 2 1.5"), ("fil", "one 1 2 3 5 10 13", "other 4 6 9 14 26"),
    ("is", "one 1 21 101 0.1 1.1", "other 0 2 11 111 0.2"),
    ("lv", "zero 0 10 11 19 30 111", "one 1 21 101 0.1 1.21"), ("lv", "", "other 2 9 22 0.2"),
    ("lt", "one 1 21 101", "few 2 9 22 102"), ("lt", "many 0.1 1.5", "other 0 10 11 19 111"),
    ("pl", "one 1", "few 2 4 22 34 102"), ("pl", "many 0 5 12 14 21 25 100", "other 0.1 1.5"),
    ("cs", "one 1", "few 2 3 4"), ("cs", "many 0.1 1.5", "other 0 5 22 100"),
    ("ru", "one 1 21 101", "few 2 4 22 102"), ("uk", "many 0 5 11 12 14 111", "other 1.5"),
    ("hr", "one 1 21 0.1 2.31", "few 2 22 0.2"), ("hr", "", "other 0 5 11 12 111 0.5 1.11"),
    ("sl", "one 1 101 201", "two 2 102"), ("sl", "few 3 4 103 0.5 1.2", "other 0 5 11 105"),
    ("ro", "one 1", "few 0 2 16 101 119 1.5"), ("ro", "", "other 20 35 100"),
    ("he", "one 1 0.5", "two 2"), ("he", "", "other 0 3 11 1.5 2.5"),
    ("ar", "zero 0", "one 1"), ("ar", "two 2", "few 3 10 103 110 1003"),
    ("ar", "many 11 26 99 111 1011", "other 100 102 200 201 1000 1.5 0.1"),
  ])
  func `numbers have the plural categories of their language`(
    language: String, first: String, second: String
  ) throws {
    for words in [first, second].map({ $0.split(separator: " ") }) where !words.isEmpty {
      let category = try #require(PluralCategory(rawValue: String(words[0])))
      for word in words.dropFirst() {
        #expect(try Self.category(language, try #require(Double(word))) == category, "\(word)")
      }
    }
  }

  @Test func `every language of the table has plural rules`() {
    for name in LocalWords.all.keys {
      #expect(LanguageTag(name).flatMap { PluralRule($0) } != nil, "\(name)")
    }
    #expect(PluralRule.arabic.requiredCategories == PluralCategory.allCases)
    #expect(PluralRule.polish.requiredCategories == [.one, .few, .many])
    #expect(PluralRule.polish.possibleCategories == [.one, .few, .many, .other])
    #expect(PluralRule.otherOnly.possibleCategories == [.other])
    #expect(PluralRule.czech.requiredCategories == [.one, .few, .other])
    #expect(PluralRule.czech.possibleCategories == [.one, .few, .many, .other])
  }

  @Test(arguments: [
    (5.6, "5.6", "5,6"), (-0.25, "-0.25", "-0,25"), (1e-7, "0", "0"), (0.05, "0.05", "0,05"),
    (1e12, "1000000000000", "1000000000000"), (2.0000004, "2", "2"), (-3, "-3", "-3"),
  ])
  func `numbers have the reader's decimal sign`(number: Double, english: String, german: String) {
    let local = LocalNumber(number)
    #expect(local.text(decimalSign: LanguageTag("en")?.decimalSign ?? "") == english)
    #expect(local.text(decimalSign: LanguageTag("de-AT")?.decimalSign ?? "") == german)
  }

  // MARK: - Texts

  private static let names: [String: Template.Segment] = [
    "days": .number, "place": .field(Symbol("place"), .whole),
    "at": .field(Symbol("at"), .longDate),
    "isNew": .field(Symbol("isNew"), .whole), "recipient.name": .name,
  ]

  private static func text(
    _ text: String, number: Int64? = nil, _ details: [Detail] = [], locale: String = "en",
    name: String? = nil
  ) throws -> String {
    let language = try #require(LanguageTag(String(locale.prefix(2))))
    return try Template(parsing: text, names: names, language: language).text(
      number: number, details: Details(values: details, zone: Fixtures.zone("UTC")),
      wording: Wording(textIn: language, readIn: LanguageTag(locale), name: name))
  }

  @Test(arguments: [
    ("en", 1, "in 1 day"), ("en", 2, "in 2 days"), ("ar", 0, "اليوم"), ("ar", 2, "بعد يومين"),
    ("ar", 3, "بعد 3 أيام"), ("ar", 11, "بعد 11 يومًا"), ("ar", 100, "بعد 100 يوم"),
  ])
  func `a plural has the form of its number`(
    locale: String, number: Int64, expected: String
  ) throws {
    let text =
      locale == "en"
      ? "in {{days | one: # day | other: # days}}"
      : "{{days | zero: اليوم | one: غدًا | two: بعد يومين | few: بعد # أيام | many: بعد # يومًا "
        + "| other: بعد # يوم}}"
    #expect(try Self.text(text, number: number, locale: locale) == expected)
  }

  @Test(arguments: [
    ("pl", "{{days | one: # dzień | few: # dni | many: # dni}}", 22, "22 dni"),
    ("ru", "{{days | one: # день | few: # дня | many: # дней}}", 21, "21 день"),
    ("uk", "{{days | one: # день | few: # дні | many: # днів | other: # дня}}", 5, "5 днів"),
    ("vi", "{{days | other: # ngày}}", 1, "1 ngày"),
    ("vi", "{{days | one: một ngày | other: # ngày}}", 1, "một ngày"),
  ])
  func `G4: Slavic texts need no form for fractions, and Vietnamese texts need only other`(
    locale: String, text: String, number: Int64, expected: String
  ) throws {
    #expect(try Self.text(text, number: number, locale: locale) == expected)
  }

  @Test func `G4: a fraction without its own form uses the form few`() throws {
    let text = "{{weight | one: # кілограм | few: # кілограми | many: # кілограмів}}"
    let template = try Template(
      parsing: text, names: ["weight": .field(Symbol("weight"), .count)],
      language: try #require(LanguageTag("uk")))
    let details = Details(
      values: [Detail(field: Symbol("weight"), value: .decimal(2.5))],
      zone: try Fixtures.zone("UTC"))
    #expect(template.text(number: nil, details: details) == "2.5 кілограми")
  }

  @Test(arguments: [(0, "today"), (1, "tomorrow"), (2, "in 2 days")])
  func `G4: a number may have its own form`(number: Int64, expected: String) throws {
    let text = "{{days | =0: today | =1: tomorrow | other: in # days}}"
    #expect(try Self.text(text, number: number) == expected)
  }

  @Test(arguments: [
    ("ar", "مع \u{2068}Dr. Wu\u{2069} و\u{2068}Sam\u{2069}"), ("he", "מ\u{2068}Dr. Wu\u{2069}"),
    ("de", "Dr. Wu"),
  ])
  func `G4: a text from right to left isolates inserted names`(
    locale: String, expected: String
  ) throws {
    let texts = ["ar": "مع {{place}} و{{recipient.name}}", "he": "מ{{place}}"]
    let text = texts[locale] ?? "{{place}}"
    let place = Detail(field: Symbol("place"), value: .text("Dr. Wu"))
    #expect(try Self.text(text, [place], locale: locale, name: "Sam") == expected)
    let isolated = Detail(field: Symbol("place"), value: .text("\u{2068}Dr. Wu\u{2069}"))
    guard locale != "de" else { return }
    #expect(try Self.text(text, [isolated], locale: locale, name: "Sam") == expected)
  }

  @Test func `G4: numbers, dates and missing fields are not isolated`() throws {
    let at = Detail(field: Symbol("at"), value: .instant(try utc("2026-03-02 12:00")))
    let text = "{{days | other: # | zero: # | one: # | two: # | few: # | many: #}} {{at}}{{place}}"
    let result = try Self.text(text, number: 7, [at], locale: "ar")
    #expect(!result.unicodeScalars.contains("\u{2068}"), "\(result)")
  }

  @Test func `a section is shown only if its field is present`() throws {
    let text =
      "Visit{{#place}} in {{place}}{{#isNew}} (new){{/isNew}}{{/place}}"
      + "{{^place}} by telephone{{/place}}{{#recipient.name}}, "
      + "{{recipient.name}}{{/recipient.name}}"
    let place = Detail(field: Symbol("place"), value: .text("Ghent"))
    let isNew = Detail(field: Symbol("isNew"), value: .flag(true))
    let isOld = Detail(field: Symbol("isNew"), value: .flag(false))
    #expect(try Self.text(text) == "Visit by telephone")
    #expect(try Self.text(text, [place, isNew]) == "Visit in Ghent (new)")
    #expect(try Self.text(text, [place, isOld], name: "Amina") == "Visit in Ghent, Amina")
  }

  @Test(arguments: [
    ("en", "Thursday, March 5, 2026"), ("de", "Donnerstag, 5. März 2026"),
    ("ar", "الخميس، 5 مارس 2026"), ("fr", "jeudi 5 mars 2026"), ("ja", "2026年3月5日木曜日"),
    ("hu", "2026. március 5., csütörtök"),
  ])
  func `a long date includes the day of the week`(locale: String, expected: String) throws {
    let instant = try utc("2026-03-05 12:00")
    let at = Detail(field: Symbol("at"), value: .instant(instant))
    #expect(try Self.text("{{at}}", [at], locale: locale) == expected)
  }

  @Test(arguments: [
    ("{{days | one: # day}}", "\"en\" needs one, other; missing: other"),
    ("{{days | one: a | few: b | other: c}}", "\"en\" has no few (known: one, other)"),
    ("{{days | oen: # day | other: # days}}", "\"oen: # day\" is not a form such as"),
    ("{{days | one: a | one: b | other: c}}", "the form \"one\" is given twice"),
    ("{{at | one: a | other: b}}", "{{at}} is not a number and has no plural"),
    ("{{place | one: a | other: b}}", "{{place}} is not a number and has no plural"),
    ("{{isNew | one: a | other: b}}", "{{isNew}} is not a number and has no plural"),
    ("{{#place}} in {{place}}", "{{#place}} is not ended by {{/place}}"),
    ("{{#place}} in {{/at}}", "{{/at}} has no matching {{#at}}; {{#place}} is open"),
    ("{{/place}}", "{{/place}} has no matching {{#place}}"),
    ("{{#plaec}}a{{/plaec}}", "{{plaec}} is unknown here"),
  ])
  func `a wrong form is explained`(text: String, message: String) {
    let error = #expect(throws: TemplateError.self) {
      try Template(parsing: text, names: Self.names)
    }
    #expect(error?.description.hasPrefix(message) == true, "\(error?.description ?? "")")
  }

  private static func purchaseCatalog(_ title: String) -> String {
    Fixtures.catalog(
      events: "{bought: {things: number, what: text}}",
      reminders: [
        "note": "on: {event: bought, delay: 1s}, messages: [{title: \"\(title)\", body: \"-\"}]"
      ])
  }

  @Test func `a number of an event has a plural, and a text has none`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  event bought {"things": 1, "what": "tea"}
      2026-03-02 07:00:01  > note "1 thing"
      2026-03-02 08:00  event bought {"things": 2.5, "what": "tea"}
      2026-03-02 08:00:01  > note "2.5 things"
      2026-03-03 00:00  end
      """, catalog: Self.purchaseCatalog("{{things | one: # thing | other: # things}}"))
    let error = #expect(throws: CatalogErrors.self) {
      try Fixtures.read(Self.purchaseCatalog("{{what | one: # thing | other: # things}}"))
    }
    #expect(error?.description.contains("{{what}} is not a number") == true)
  }

  @Test func `counted items have names in the recipient's language`() throws {
    let text = """
      catalog: rooms
      events:
        added:
          things:
            list: {PHOTO: [a photo, photos], NOTE: [a note, notes]}
            locales:
              de: {PHOTO: [ein Foto, Fotos], NOTE: [eine Notiz, Notizen]}
              ar:
                PHOTO:
                  {zero: لا, one: صورة, two: صورتان, few: "# صور", many: "# صورة", other: "#"}
                NOTE: {zero: لا, one: ملاحظة, two: ملاحظتان, few: "#", many: "#", other: "#"}
      categories:
        NOTE: {title: Notes, channels: {push: true}}
      groups:
        notes: {enabled: true}
      reminders:
        added:
          category: NOTE
          group: notes
          on: {event: added, delay: 0s}
          expires: 1h
          messages:
            - title: "{{things}}"
              body: "{{things.count}}"
              locales:
                de: {title: "{{things}}", body: "{{things.count}}"}
                ar: {title: "{{things}}", body: "{{things.count}}"}
      """
    let catalog = try Fixtures.read(text)
    let message = catalog.reminders[0].messages[0]
    let details = Details(
      values: [Detail(field: Symbol("things"), value: .tally(Tally(counts: [2, 1])))],
      zone: try Fixtures.zone("UTC"))
    func texts(_ locale: String) -> String {
      let words = message.words(for: locale)
      let wording = Wording(textIn: words.language, readIn: LanguageTag(locale))
      return words.title.text(number: nil, details: details, wording: wording) + " ("
        + words.body.text(number: nil, details: details, wording: wording) + ")"
    }
    #expect(texts("en") == "2 photos and a note (3)")
    #expect(texts("de-AT") == "2 Fotos und eine Notiz (3)")
    #expect(texts("ar") == "صورتان وملاحظة (3)")
  }
}
