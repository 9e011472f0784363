import Testing

@testable import chimectl

@Suite struct TableTests {
  @Test func `a column is as wide as its longest cell`() {
    var table = Table(header: ["A", "LONG", "C"])
    table.add(["1", "2", ""])
    table.add(["wide", "é", "3"])
    #expect(table.text == "A     LONG  C\n1     2\nwide  é     3\n")
  }

  @Test func `wide characters take two columns`() {
    var table = Table()
    table.add(["🎂", "a"])
    table.add(["時計", "b"])
    table.add(["❤️é", "c"])
    table.add(["abcd", "d"])
    #expect(table.text == "🎂    a\n時計  b\n❤️é   c\nabcd  d\n")
  }

  @Test func `columns are aligned in every script`() {
    var table = Table(header: ["TITLE", "BY"])
    for title in ["مَرْحَبًا", "時計", "👩‍👩‍👧 e\u{301}", "plain"] { table.add([title, "push"]) }
    let lines = table.text(on: .paper).split(separator: "\n").dropFirst()
    for line in lines { #expect(String(line.dropLast(4)).columns == 7, "\(line)") }
  }

  private var wideTable: Table {
    var table = Table(header: ["ID", "TITLE", "REASON"])
    table.add(["1x2y3z-17.push", "Daily check-in", "the connection was refused by the other side"])
    table.add(["2", "時計時計時計時計時計", ""])
    return table
  }

  @Test func `a cell that does not fit is wrapped`() {
    #expect(
      wideTable.text(on: Screen(width: 48)) == """
        ID              TITLE            REASON
        1x2y3z-17.push  Daily check-in   the connection
                                         was refused by
                                         the other side
        2               時計時計時計時
                        計時計

        """)
    #expect(wideTable.text(on: Screen(width: 82)) == wideTable.text(on: .paper))
  }

  /// Nothing is lost at any width. Lines exceed the width only where no layout fits.
  @Test func `every width shows all cells`() {
    let letters = "1x2y3z-17.pushDailycheck-intheconnectionwasrefusedbytheotherside2"
    for width in 16...90 {
      let text = wideTable.text(on: Screen(width: width))
      let lines = text.split(separator: "\n")
      #expect(lines.allSatisfy { String($0).columns <= max(width, 24) }, "\(width) columns")
      for letter in Set(letters) {
        let count = text.count { $0 == letter }
        #expect(count >= letters.count { $0 == letter }, "\(width) columns, \(letter)")
      }
    }
  }

  @Test func `if no columns fit, each row becomes a paragraph`() {
    #expect(
      wideTable.text(on: Screen(width: 24)) == """
        ID      1x2y3z-17.push
        TITLE   Daily check-in
        REASON  the connection
                was refused by
                the other side

        ID      2
        TITLE   時計時計時計時計
                時計

        """)
  }

  @Test func `a table that is redrawn is cut instead of wrapped`() {
    #expect(
      wideTable.cut(to: Screen(width: 48)) == """
        ID              TITLE            REASON
        1x2y3z-17.push  Daily check-in   the connection…
        2               時計時計時計時…

        """)
    for width in 1...80 {
      let lines = wideTable.cut(to: Screen(width: width)).split(separator: "\n")
      #expect(lines.allSatisfy { String($0).columns <= width }, "\(width) columns")
    }
  }

  @Test func `a command's table fits its terminal`() {
    var table = Table()
    table.add(["abcdefghijkl", "b"])
    #expect(
      Screen.$current.withValue(Screen(width: 12)) { table.text } == "abcdefghi  b\njkl\n")
    #expect(table.text == "abcdefghijkl  b\n")
  }

  @Test func `colours take no columns`() {
    var table = Table()
    table.add(["a", "b"], styles: [0: .bad])
    table.add(["long", "c"])
    #expect(
      table.text(on: Screen(hasColour: true)) == "\u{1b}[31ma\u{1b}[0m     b\nlong  c\n")
    #expect(table.text(on: .paper) == "a     b\nlong  c\n")
  }

  @Test(arguments: [
    ("plain é 🎂", "plain é 🎂"), ("a\u{1b}[31mb", "a\\u001b[31mb"),
    ("a\nb\tc", "a\\nb\\tc"), ("\u{9b}31m", "\\u009b31m"), ("a\u{202e}b", "a\\u202eb"),
    ("\u{7f}", "\\u007f"), ("a\r\nb", "a\\r\\nb"), ("\0", "\\u0000"),
  ])
  func `control characters are escaped`(text: String, printed: String) {
    #expect(text.printable == printed)
    var table = Table()
    table.add([text])
    #expect(table.text == printed + "\n")
  }
}
