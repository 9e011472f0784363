import CivilTime
import JSON
import Testing

@testable import Reminders

/// Rule G4: the shipped catalogs have English, German and Arabic texts, and titles for a settings
/// page.
@Suite struct TranslationTests {
  private static let languages = ["en", "de", "ar"]

  @Test(arguments: ["imanpath", "wellness", "trials", "rooms"])
  func `G4: every shipped text is in each language`(name: String) throws {
    let catalog = try Fixtures.read(Fixtures.shipped(name))
    for reminder in catalog.reminders {
      for message in reminder.messages {
        let texts = Self.languages.map { message.words(for: $0) }
        #expect(texts.map { "\($0.language)" } == Self.languages, "\(reminder.identifier)")
        let bodies = texts.map { Self.literals($0.body.segments) }
        #expect(Set(bodies).count == 3 || bodies.contains(""), "\(reminder.identifier)")
      }
    }
  }

  /// Returns the text outside the placeholders, with the form `other` of each plural.
  private static func literals(_ segments: [Template.Segment]) -> String {
    segments.reduce(into: "") { text, segment in
      if case .literal(let literal) = segment { text += literal }
      if case .plural(_, let forms) = segment { text += forms.forms[.other] ?? "" }
    }
  }

  @Test(arguments: ["imanpath", "wellness", "trials", "rooms", "urbannest"])
  func `G4: each setting has a title in each language`(name: String) throws {
    let catalog = try Fixtures.read(Fixtures.shipped(name))
    let paths = catalog.titledPaths
    #expect(paths.count > 8)
    for language in try Self.languages.map({ try #require(LanguageTag($0)) }) {
      let missing = paths.filter { !catalog.titles.has($0, in: language) }
      #expect(missing == [], "\(language)")
    }
  }

  @Test(arguments: ["imanpath", "wellness"])
  func `G13: each action has a title in each language`(name: String) throws {
    let actions = try Fixtures.read(Fixtures.shipped(name)).reminders.flatMap(\.actions)
    #expect(!actions.isEmpty)
    for action in actions {
      #expect(Set(Self.languages.map { action.titles.title(in: $0) }).count == 3, "\(action.name)")
    }
  }

  @Test func `G4: a title is in the recipient's language or its parent, or else the catalog's`()
    throws
  {
    let catalog = try Fixtures.read(Fixtures.shipped("urbannest"))
    func title(_ language: String) -> Titles.Title? {
      catalog.titles.title(of: "categories.PAYMENTS", in: LanguageTag(language))
    }
    let english = Titles.Title(
      title: "Payment & Billing", description: "Payment receipts, refunds")
    #expect(title("de-AT")?.description == "Zahlungsbelege, Erstattungen")
    #expect(title("fr") == english)
    #expect(catalog.titles.title(of: "categories.PAYMENTS", in: nil) == english)
    #expect(catalog.titles.title(of: "categories.NONE", in: nil) == nil)
  }

  @Test(arguments: [
    ("en", "1 day in a row. Keep it up!"), ("de", "1 Tag in Folge. Weiter so!"),
    ("ar", "يوم واحد على التوالي. واصل!"),
  ])
  func `G4: a streak of one day uses the singular form`(locale: String, text: String) throws {
    let catalog = try Fixtures.read(Fixtures.shipped("wellness"))
    let streak = try #require(catalog.reminder(Symbol("streak")))
    #expect(streak.messages[0].words(for: locale).body.text(number: 1) == text)
  }

  @Test(arguments: [
    (
      "titles: {de: {groups: {ntoes: a}}}",
      "13:24: \"ntoes\" cannot have a title; did you mean \"notes\"?"
    ),
    (
      "titles: {de: {groups: {notes.tme: a}}}",
      "13:24: \"notes.tme\" cannot have a title; did you mean \"notes.time\"?"
    ),
    ("titles: {de: {categories: {NOTE: [a]}}}", "13:34: a title must be a text, or a list of"),
    ("titles: {xx: {}}", "13:10: \"xx\" is not a known language"),
    ("titles: {de: {groups: [a]}}", "13:23: titles must be a mapping of names"),
  ])
  func `an invalid title is reported with its location`(titles: String, message: String) {
    let error = #expect(throws: CatalogErrors.self) {
      try Fixtures.read(ValidCatalog.text + "\n" + titles)
    }
    #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
  }
}
