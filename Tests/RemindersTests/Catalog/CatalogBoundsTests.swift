import Reminders
import Testing

/// Rule H16: limits on the declarations of one catalog.
@Suite struct CatalogBoundsTests {
  private static let head = """
    catalog: big
    categories:
      A: {title: a, channels: {push: true}}
    groups:
      g: {enabled: true}

    """

  /// Returns the errors of a catalog that consists of `head` and a text.
  private func errors(_ text: String) -> [String] {
    do throws(CatalogErrors) {
      _ = try Catalog(reading: [CatalogSource(file: "big", text: Self.head + text)])
      return []
    } catch {
      return error.diagnostics.map(\.description)
    }
  }

  private func events(_ count: Int) -> String {
    "events:\n" + (0..<count).map { "  e\($0): {k: identifier}\n" }.joined()
  }

  private func reminders(_ count: Int, _ extraKeys: String = "") -> String {
    let entries = (0..<count).map { number in
      "  r\(number): {category: A, group: g, expires: 1h, on: {event: e0, delay: 1h}, \(extraKeys)"
        + "messages: [{title: t, body: b}]}\n"
    }
    return "reminders:\n" + entries.joined()
  }

  @Test func `H16: a catalog declares at most 1000 events`() throws {
    #expect(errors(events(1_000) + reminders(1)) == [])
    let diagnostics = errors(events(1_001) + reminders(1))
    #expect(
      diagnostics == [
        "big:7:3: events has 1001 entries; at most 1000 are allowed; divide it into catalogs"
      ])
  }

  @Test func `H16: an event has at most 100 fields`() throws {
    func fields(_ count: Int) -> String {
      let list = (0..<count).map { "f\($0): text" }.joined(separator: ", ")
      return "events: {e0: {}, e: {\(list)}}\n" + reminders(1)
    }
    #expect(errors(fields(100)) == [])
    #expect(errors(fields(101)).first?.contains("101 entries; at most 100") == true)
  }

  @Test func `H16: a catalog declares at most 1000 reminders, including repetitions`() throws {
    #expect(errors(events(1) + reminders(1_000)) == [])
    #expect(
      errors(events(1) + reminders(1_001)).first?.contains("at most 1000 are allowed") == true)
    let repetition = "again: {every: 1h, times: 24}, "
    #expect(errors(events(1) + reminders(40, repetition)) == [])
    let diagnostics = errors(events(1) + reminders(41, repetition))
    #expect(diagnostics.count == 1)
    #expect(diagnostics.first?.contains("more than 1000 reminders") == true)
  }

  @Test func `H16: a catalog has at most 10000 texts`() throws {
    func texts(_ count: Int) -> String {
      let reminder = "{category: A, group: g, expires: 1h, on: {event: e0, delay: 1h}, messages: ["
      let entries = (0..<count / 500).map { number in
        let messages = Array(repeating: "{title: t, body: b}", count: 250)
        return "  r\(number): \(reminder)\(messages.joined(separator: ", "))]}\n"
      }
      return events(1) + "reminders:\n" + entries.joined()
    }
    #expect(errors(texts(10_000)) == [])
    let diagnostics = errors(texts(10_500))
    #expect(diagnostics.first?.contains("more than 10000 titles and bodies") == true)
  }

  @Test(arguments: ["#", "^"])
  func `H16: parts of a text are nested at most 16 deep`(sign: String) {
    func nested(_ count: Int, isEnded: Bool = true) -> String {
      let start = String(repeating: "{{\(sign)k}}", count: count)
      let end = isEnded ? String(repeating: "{{/k}}", count: count) : ""
      return events(1)
        + "reminders: {r: {category: A, group: g, expires: 1h, on: {event: e0, delay: 1h}, "
        + "messages: [{title: t, body: \"\(start)x\(end)\"}]}}\n"
    }
    #expect(errors(nested(16)) == [])
    let expected =
      "big:8:109: {{\(sign)k}} is nested in 16 others; at most 16 levels are allowed"
    #expect(errors(nested(17)) == [expected])
    #expect(errors(nested(100_000)) == [expected])
    #expect(errors(nested(100_000, isEnded: false)) == [expected])
  }

  @Test func `H16: parts that follow each other do not count as nested`() {
    let parts = String(repeating: "{{#k}}x{{/k}}", count: 100)
    let reminder = "on: {event: e, delay: 1h}, messages: [{title: t, body: \"\(parts)\"}]"
    #expect(throws: Never.self) {
      try Fixtures.read(
        Fixtures.catalog(events: "{e: {k: identifier}}", reminders: ["it": reminder]))
    }
  }

  @Test(arguments: [("[", "]"), ("{? ", "}"), ("{a: ", "}")])
  func `H16: a file is nested at most 1000 deep`(start: String, end: String) {
    func nested(_ count: Int) -> String {
      let starts = String(repeating: start, count: count)
      let ends = String(repeating: end, count: count)
      return events(1) + reminders(1) + "titles: \(starts)a\(ends)\n"
    }
    // A mistake in a nested key or value of `titles` is reported without unlimited recursion.
    #expect(errors(nested(900)).isEmpty == false)
    #expect(errors(nested(900)).contains { $0.contains("nesting level") } == false)
    #expect(errors(nested(100_000)).contains { $0.contains("Maximum nesting level") })
  }

  @Test func `H16: after 256 mistakes the report says only that there are more`() throws {
    let diagnostics = errors((0..<2_000).map { "k\($0): 1\n" }.joined() + events(1) + reminders(1))
    #expect(diagnostics.count == 257)
    #expect(diagnostics.contains { $0.hasSuffix("there are more mistakes; correct these first") })
  }

  @Test func `H16: the report of a mistake quotes only the beginning of a long text`() {
    let long = String(repeating: "x", count: 100_000)
    let diagnostics = errors(events(1) + reminders(1, "unless: \"\(long)\", "))
    #expect(diagnostics.count == 1)
    #expect(diagnostics.first.map { (2_000..<2_100).contains($0.utf8.count) } == true)
  }
}
