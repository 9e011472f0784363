import Testing

@testable import Reminders

@Suite struct ControlCharacterTests {
  @Test func `control characters are those of the Unicode category Cc`() {
    let scalars = (0...0x1_1000).compactMap { Unicode.Scalar(UInt32($0)) }
    let misjudged = scalars.filter { scalar in
      "a\(Character(scalar))z".hasControlCharacters
        != (scalar.properties.generalCategory == .control)
    }
    #expect(misjudged == [])
  }

  @Test(arguments: [
    ("two\nlines", false), ("\n", false), ("two\r\nlines", true), ("two\rlines", true),
    ("next\u{85}line", true), ("tab\t", true), ("Ä\u{a0}ß", false), ("", false),
  ])
  func `LF is the only allowed line break`(text: String, isRefused: Bool) {
    #expect(text.hasControlCharacters(allowingLineBreaks: true) == isRefused)
    #expect("two\nlines".hasControlCharacters)
  }
}
