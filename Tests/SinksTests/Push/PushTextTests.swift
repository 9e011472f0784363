import Sinks
import Testing

/// Cutting bodies to a limit.
@Suite struct PushTextTests {
  private func fit(_ text: String, _ limit: Int) -> String? {
    PushText.fit(text, into: limit) { Array($0.utf8) }.map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func `a text that fits is unchanged`() {
    #expect(fit("", 0) == "")
    #expect(fit("abc", 3) == "abc")
  }

  @Test func `a cut text ends with an ellipsis`() {
    #expect(fit("abcdef", 5) == "ab…")
    #expect(fit("abcdef", 3) == "…" || fit("abcdef", 3) == "")
    #expect(fit("abcdef", 2) == "")
  }

  @Test(arguments: [
    "👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦", "e\u{301}e\u{301}e\u{301}e\u{301}", "नमस्ते नमस्ते",
    "🇩🇪🇫🇷🇮🇹🇪🇸",
  ])
  func `a text is cut between characters`(text: String) throws {
    for limit in 0..<text.utf8.count {
      let cut = try #require(fit(text, limit))
      #expect(cut.utf8.count <= limit)
      let beginning = cut.hasSuffix("…") ? String(cut.dropLast()) : cut
      #expect(text.hasPrefix(beginning) && Array(text).starts(with: Array(beginning)))
    }
  }

  @Test func `a text keeps as much as fits`() throws {
    let text = String(repeating: "ab", count: 5_000)
    for limit in [10, 4_096, 9_999] {
      #expect(fit(text, limit)?.utf8.count == limit)
    }
  }

  @Test func `there is no document if it is too long even without the text`() {
    let document = PushText.fit("abc", into: 4) { Array("12345\($0)".utf8) }
    #expect(document == nil)
  }
}
