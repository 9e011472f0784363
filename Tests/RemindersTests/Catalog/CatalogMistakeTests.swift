import Foundation
import Reminders
import Testing

/// Common mistakes of authors are explained in plain words, with their locations (rule G11).
@Suite struct CatalogMistakeTests {
  private static let directory = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Mistakes")

  private static func text(of file: String) -> String {
    (try? String(contentsOf: directory.appending(path: file), encoding: .utf8)) ?? ""
  }

  private static let catalog = text(of: "meals.yaml")

  /// A mistake in the catalog, and the expected diagnostics.
  struct Mistake: CustomTestStringConvertible, Sendable {
    var testDescription: String
    /// The lines of the catalog that the mistake replaces.
    var right = ""
    /// The lines with the mistake.
    var wrong = ""
    var diagnostics: [String] = []

    /// Reads a title after "# ", right lines after "-", wrong lines after "+", and diagnostics
    /// after ">".
    init(_ paragraph: Substring) {
      let lines = paragraph.split(separator: "\n")
      testDescription = String(lines.first?.dropFirst(2) ?? "")
      for line in lines.dropFirst() {
        switch line.first {
        case "-": right += line.dropFirst() + "\n"
        case "+": wrong += line.dropFirst() + "\n"
        default: diagnostics.append("meals.yaml:\(line.dropFirst())")
        }
      }
    }
  }

  private static let mistakes = text(of: "mistakes.txt").split(separator: "\n\n")
    .map { Mistake($0) }

  /// Returns the diagnostics of a catalog.
  private static func diagnostics(of text: String) -> [String] {
    do {
      _ = try Catalog(reading: [CatalogSource(file: "meals.yaml", text: text)])
      return []
    } catch {
      return error.diagnostics.map { "\($0)" }
    }
  }

  @Test(arguments: mistakes)
  func `G11: a common mistake is explained`(mistake: Mistake) throws {
    let range = try #require(Self.catalog.firstRange(of: mistake.right))
    let text = Self.catalog.replacingCharacters(in: range, with: mistake.wrong)
    try #require(!mistake.diagnostics.isEmpty)
    #expect(Self.diagnostics(of: text) == mistake.diagnostics)
  }

  @Test func `G11: more than 70 common mistakes are tested`() {
    #expect(Self.mistakes.count > 70)
  }

  @Test(arguments: [
    ("\n", "\r\n"), ("# The catalog", "\u{feff}# The catalog"),
    ("meals: {enabled: true}", "meals: {enabled: yes}"),
    ("- title: Snack", "- title: 100% snack & more *now*"),
    ("- title: Snack", "- title: &snack Snack\n        body: *snack"),
    ("- title: Snack", "- title: 🍎"), ("MEALS", "🍎"),
    ("# The catalog", "# The catalog, messages: &all [push]\n# The catalog"),
    ("- title: Snack", "- title: |\n          Terms: & conditions"),
    ("- title: Snack", "- title: 'It says\n          terms: &x'"),
    ("- title: Snack", "- title: 27\" of snacks"), ("- title: Snack", "- title: 30\u{a0}snacks"),
    ("groups:", "groups: &groups"),
  ])
  func `G11: unusual but valid files are read`(right: String, wrong: String) {
    let isAlias = wrong.contains("*snack")
    let text = Self.catalog.replacing(right, with: wrong)
      .replacing(
        isAlias ? "        body: A small snack keeps your energy up.\n" : "\u{0}", with: "")
    #expect(Self.diagnostics(of: text) == [])
  }

  /// The mistake is in a line after an unusual one. The reported line number counts lines as the
  /// YAML parser does.
  @Test(arguments: [
    ("27\" of snacks", 0), ("30\u{a0}snacks", 0), ("\"Snacks,\u{2028}          fresh\"", 1),
    ("\"Snacks,\r          fresh\"", 1),
  ])
  func `G11: a mistake after an unusual line has its own location`(
    title: String, extraLines: Int
  ) {
    let text = Self.catalog.replacing("- title: Snack", with: "- title: " + title)
      .replacing("    category: WEIGHT\n", with: "    category WEIGHT\n")
    #expect(
      Self.diagnostics(of: text) == [
        "meals.yaml:\(100 + extraLines):5: a colon is missing after the key: write category: WEIGHT"
      ])
  }

  @Test func `G11: mistakes are limited in number and length`() {
    let many = "a:\n" + (0..<1_000).map { "  k\($0): &a\($0) b\n" }.joined()
    #expect(Self.diagnostics(of: many).count <= 257)
    let long = "a: 1\n" + String(repeating: "b", count: 1_000_000) + "\nc: 2\n"
    let diagnostics = Self.diagnostics(of: long)
    #expect(diagnostics.count == 1 && diagnostics.allSatisfy { $0.count < 2_100 })
  }

  @Test func `T14: "repeats" cannot name a reminder that "idle" replaces by several reminders`() {
    let catalog = """
      catalog: steps
      events: {walked: {days: number}}
      categories: {WALK: {title: Walk, channels: {push: true}}}
      groups: {away: {enabled: true}, again: {enabled: true}}
      reminders:
        away:
          category: WALK
          group: away
          idle: {event: walked, days: 2, times: [1, 2]}
          expires: 1h
          messages: [{title: A, body: B}]
        again:
          category: WALK
          group: again
          every: {day: {at: "09:00"}}
          repeats: away
          expires: 1h
          messages: [{title: C, body: D}]
      """
    let diagnostics = Self.diagnostics(of: catalog)
    #expect(diagnostics.count == 1)
    #expect(
      diagnostics.contains { $0.contains("no reminder \"away\" is declared") }, "\(diagnostics)")
  }

  @Test func `G11: a reminder without a text in a language of others is found`() throws {
    let text = Self.catalog.replacing(
      """
                ar:
                  title: وجبة خفيفة
                  body: وجبة خفيفة صغيرة تحافظ على طاقتك.

      """, with: "")
    let catalog = try Catalog(reading: [CatalogSource(file: "meals.yaml", text: text)])
    #expect(
      catalog.missingTexts.map { "\($0)" }
        == ["the reminder \"snack-reminder\" has no text in ar; recipients get it in en"])
    #expect(try Fixtures.read(Self.catalog).missingTexts == [])
  }

  @Test func `G11: names of the service's own notifications are refused`() {
    let text = Self.catalog.replacing("WEIGHT", with: "test")
    #expect(
      Self.diagnostics(of: text) == [
        "meals.yaml:12:9: the service itself uses the category name \"test\"; rename the category"
      ])
  }
}
