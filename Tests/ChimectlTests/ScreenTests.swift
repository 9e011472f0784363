import Testing

@testable import chimectl

/// Widths of text, and capabilities of terminals.
@Suite struct ScreenTests {
  static let environments: [(environment: [String: String], hasColour: Bool, canRedraw: Bool)] = [
    (["TERM": "xterm"], true, true), (["TERM": "dumb"], false, false), ([:], false, false),
    (["TERM": "xterm", "NO_COLOR": "1"], false, true),
    (["TERM": "xterm", "NO_COLOR": ""], true, true),
  ]

  @Test(arguments: environments)
  func `the environment decides whether colours are used`(
    environment: [String: String], hasColour: Bool, canRedraw: Bool
  ) {
    let screen = Screen.terminal(size: (80, 24), environment: environment)
    #expect(screen.hasColour == hasColour && screen.canRedraw == canRedraw)
    #expect(screen.width == 80 && screen.height == 24)
    #expect(Style.bad.mark("a", on: screen) == (hasColour ? "\u{1b}[31ma\u{1b}[0m" : "a"))
  }

  static let widths: [(text: String, columns: Int)] = [
    ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("مرحبا", 5), ("مَرْحَبًا", 5), ("שלום", 4),
    ("時計", 4), ("한국", 4), ("\u{1112}\u{1161}\u{11ab}", 2), ("ﾊﾝ", 2), ("！", 2), ("🎂", 2),
    ("❤️", 2), ("☝🏽", 2), ("👩‍👩‍👧", 2), ("🇩🇪", 2), ("1️⃣", 2), ("a\u{200b}b", 2),
    ("a\u{ad}b", 3), ("\u{301}", 0), ("…", 1), ("─", 1), ("कि", 2),
  ]

  @Test(arguments: widths)
  func `the width of a text is its columns on a terminal`(text: String, columns: Int) {
    #expect(text.columns == columns)
  }

  static let wraps: [(text: String, columns: Int, lines: [String])] = [
    ("", 3, [""]), ("abc", 3, ["abc"]), ("ab cd", 4, ["ab", "cd"]),
    ("ab cd ef", 5, ["ab cd", "ef"]),
    ("daily-lesson-reminder", 9, ["daily-", "lesson-", "reminder"]),
    ("daily-lesson", 12, ["daily-lesson"]), ("abcdefg hi", 3, ["abc", "def", "g", "hi"]),
    ("時計時計", 5, ["時計", "時計"]), ("ab", 0, ["ab"]),
  ]

  @Test(arguments: wraps)
  func `a text is wrapped where it may be broken`(text: String, columns: Int, lines: [String]) {
    #expect(text.wrapped(to: columns) == lines)
  }

  static let cuts: [(text: String, columns: Int, cut: String)] = [
    ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("abcdef", 1, "…"), ("abcdef", 0, ""),
    ("時計時計", 7, "時計時…"), ("時計時計", 6, "時計…"), ("مَرْحَبًا", 4, "مَرْحَ…"), ("🎂🎂", 3, "🎂…"),
  ]

  @Test(arguments: cuts)
  func `a text is cut between characters`(text: String, columns: Int, cut: String) {
    #expect(text.cut(to: columns) == cut)
    #expect(text.cut(to: columns).columns <= columns)
  }
}
