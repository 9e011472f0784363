import Testing

@testable import Reminders

@Suite("Control characters")
struct ControlCharacterTests {
  @Test("each character is one if Unicode has it in its category Cc")
  func categoryOfUnicode() {
    let scalars = (0...0x1_1000).compactMap { Unicode.Scalar(UInt32($0)) }
    let wrong = scalars.filter { scalar in
      "a\(Character(scalar))z".hasControlCharacters
        != (scalar.properties.generalCategory == .control)
    }
    #expect(wrong == [])
  }

  @Test(
    "a line break is LF alone, when it is let through",
    arguments: [
      ("two\nlines", false), ("\n", false), ("two\r\nlines", true), ("two\rlines", true),
      ("next\u{85}line", true), ("tab\t", true), ("Ä\u{a0}ß", false), ("", false),
    ])
  func lineBreaks(text: String, isRefused: Bool) {
    #expect(text.hasControlCharacters(butLineBreaks: true) == isRefused)
    #expect("two\nlines".hasControlCharacters)
  }
}
