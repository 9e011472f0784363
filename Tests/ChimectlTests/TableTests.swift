import Testing

@testable import chimectl

@Suite struct TableTests {
  @Test func columnsAreAsWideAsTheirLongestCell() {
    var table = Table(header: ["A", "LONG", "C"])
    table.add(["1", "2", ""])
    table.add(["wide", "é", "3"])
    #expect(table.text == "A     LONG  C\n1     2\nwide  é     3\n")
  }

  @Test func wideCharactersTakeTwoColumns() {
    var table = Table()
    table.add(["🎂", "a"])
    table.add(["時計", "b"])
    table.add(["❤️é", "c"])
    table.add(["abcd", "d"])
    #expect(table.text == "🎂    a\n時計  b\n❤️é   c\nabcd  d\n")
  }

  @Test(arguments: [
    ("plain é 🎂", "plain é 🎂"), ("a\u{1b}[31mb", "a\u{fffd}[31mb"),
    ("a\nb\tc", "a\u{fffd}b\u{fffd}c"),
    ("\u{9b}31m", "\u{fffd}31m"), ("a\u{202e}b", "a\u{fffd}b"), ("\u{7f}", "\u{fffd}"),
    ("a\r\nb", "a\u{fffd}\u{fffd}b"),
  ])
  func nothingIsPrintedThatATerminalWouldObey(text: String, printed: String) {
    #expect(text.printable == printed)
    var table = Table()
    table.add([text])
    #expect(table.text == printed + "\n")
  }
}
