import Testing

@testable import Reminders

/// Rule V14: a digest is in the recipient's language.
@Suite struct DigestWordsTests {
  private static func words(_ digest: String) throws -> DigestWords {
    try Fixtures.read(
      """
      catalog: x
      categories: {}
      reminders: {}
      digest:
      \(digest)
      """
    ).digest
  }

  private static let catalog = """
      title: "{{count | one: # thing | other: # things}}"
      line: "{{title}}{{#body}} - {{body}}{{/body}}"
      locales:
        pl:
          title: "{{count | one: # sprawa | few: # sprawy | many: # spraw | other: # sprawy}}"
    """

  @Test(arguments: [
    (nil, 2, "2 things"), ("en-GB", 2, "2 things"), ("pl", 3, "3 sprawy"), ("pl-PL", 5, "5 spraw"),
    ("fr", 3, "3 rappels"), ("ar", 2, "تذكيران"), ("th", 4, "4 things"), ("zz", 4, "4 things"),
  ])
  func `V14: a digest's title is the locale's, else built in, else the first declared`(
    locale: String?, count: Int, title: String
  ) throws {
    #expect(try Self.words(Self.catalog).title(count, in: locale) == title)
  }

  @Test(arguments: [("ar", 2, "تذكيران"), ("ar", 5, "5 تذكيرات"), ("de", 3, "3 Erinnerungen")])
  func `V14: shipped catalogs use the built-in titles`(
    locale: String, count: Int, title: String
  ) throws {
    for name in ["imanpath", "wellness", "trials", "rooms", "urbannest"] {
      let catalog = try Fixtures.read(Fixtures.shipped(name))
      #expect(catalog.digest.title(count, in: locale) == title, "\(name)")
      #expect(DigestWords().title(count, in: locale) == title)
    }
  }

  @Test func `V14: a digest's line is as declared, else title and body`() throws {
    let zone = try Fixtures.planner().defaultZone
    func line(_ words: DigestWords, _ title: String, _ body: String) -> String {
      let message = Message(reminder: "r", category: "C", title: title, body: body)
      return words.line(of: message, in: "en", zone: zone)
    }
    let declared = try Self.words(Self.catalog)
    #expect(line(declared, "Lunch", "Eat.") == "Lunch - Eat.")
    #expect(line(declared, "Lunch", "") == "Lunch")
    #expect(line(DigestWords(), "Lunch", "Eat.") == "Lunch: Eat.")
    #expect(line(DigestWords(), "", "Eat.") == "Eat.")
  }

  @Test func `an invalid digest is reported`() {
    #expect(throws: CatalogErrors.self) { try Self.words("  title: \"{{cuont}}\"") }
    #expect(throws: CatalogErrors.self) { try Self.words("  titel: x") }
  }
}
