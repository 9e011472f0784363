import JSON
import Testing

@Suite struct JSONErrorTests {
  @Test(arguments: [
    ("", "the text is empty"),
    (" \n\t ", "the text has only white space"),
    (
      "\u{feff}{}",
      "line 1, column 1: the text begins with a byte order mark, which JSON does not have"
    ),
    ("{", "line 1, column 2: expected a key in quotes or }, but the text ends"),
    ("[", "line 1, column 2: expected a value or ], but the text ends"),
    ("{\"a\"", "line 1, column 5: expected a colon, but the text ends"),
    ("{\"a\":", "line 1, column 6: expected a value, but the text ends"),
    ("{\"a\":1", "line 1, column 7: expected a comma or }, but the text ends"),
    ("[1,", "line 1, column 4: expected a value, but the text ends"),
    ("{\"a\":1,", "line 1, column 8: expected a key in quotes, but the text ends"),
    ("{\"a\":}", "line 1, column 6: expected a value"),
    ("{\"a\":1,}", "line 1, column 8: expected a key in quotes"),
    ("{\"a\" 1}", "line 1, column 6: expected a colon"),
    ("{\"a\":1 \"b\":2}", "line 1, column 8: expected a comma or }"),
    ("{a:1}", "line 1, column 2: expected a key in quotes or }"),
    ("{'a':1}", "line 1, column 2: expected a key in quotes or }"),
    ("{1:1}", "line 1, column 2: expected a key in quotes or }"),
    ("[1,]", "line 1, column 4: expected a value"),
    ("[,1]", "line 1, column 2: expected a value or ]"),
    ("[1,,2]", "line 1, column 4: expected a value"),
    ("[1 2]", "line 1, column 4: expected a comma or ]"),
    ("[1}", "line 1, column 3: expected a comma or ]"),
    ("{\"a\":1]", "line 1, column 7: expected a comma or }"),
    ("]", "line 1, column 1: expected a value"),
    ("\"a\"b", "line 1, column 4: expected the end of the text"),
    ("{} x", "line 1, column 4: expected the end of the text"),
    ("{}{}", "line 1, column 3: expected the end of the text"),
    ("1 2", "line 1, column 3: expected the end of the text"),
    (#"{"a":1,\"b":2}"#, "line 1, column 8: a backslash is allowed only in a string"),
    (#"[\n]"#, "line 1, column 2: expected a value or ]"),
    ("{\n  \"é\": 1,\n  \"é🎂\": ?\n}", "line 3, column 9: expected a value"),
  ])
  func `a structural error names the position and what is expected`(text: String, message: String) {
    expectError(text, message)
  }

  @Test(arguments: ["tru", "nul", "truex", "falsey", "nan", "trUe", "nulll", "t", "infinity"])
  func `a bad literal is reported with its position`(word: String) {
    let isLiteral = word.hasPrefix("t") || word.hasPrefix("f") || word.hasPrefix("n")
    let reason = isLiteral ? "expected true, false or null" : "expected a value"
    expectError("{\"a\":[true,\(word)],\"b\":null}", "line 1, column 12: \(reason)")
    expectError(word, "line 1, column 1: \(reason)")
  }

  @Test(arguments: [
    "NaN", "Infinity", "True", "NULL", "undefined", "+1", ".5", "'a'", "\u{a0}1", "//",
  ])
  func `a missing value is reported with its position`(word: String) {
    expectError("[\n 1, \(word)]", "line 2, column 5: expected a value")
  }

  @Test(arguments: [
    "01", "-", "-01", "1.", "1.e1", "1e", "1e+", "0x10", "1_000", "1a", "-Infinity", "--1", "1.2.3",
    "1e400", "-1e400", "18446744073709551616", "-9223372036854775809",
    "123456789012345678901234567890",
  ])
  func `a bad number is reported with its position`(number: String) {
    let reason = "this is not a valid JSON number, or it is too large"
    expectError("[0,1.5, -1e3 ,\(number)]", "line 1, column 15: \(reason)")
    expectError(number, "line 1, column 1: \(reason)")
  }

  @Test(arguments: [
    #"\x"#, #"\u12"#, #"\u12G4"#, #"\ud800"#, #"\ud800x"#, #"\ud800\u0041"#, #"\udc00"#,
    #"\ud800\ud800"#, #"\U0041"#, #"\'"#, #"\0"#,
  ])
  func `a bad escape is reported with the position of its string`(escape: String) {
    let reason = "this string has an escape that JSON does not have, or half a surrogate pair"
    expectError(#"["good\n", "bad \#(escape)", 1]"#, "line 1, column 12: \(reason)")
    expectError(#"{"good\n":"", "bad \#(escape)": 1}"#, "line 1, column 15: \(reason)")
  }

  @Test(arguments: [
    ("\"abc", "line 1, column 1"), ("[\"a\\\"b\", \"c]", "line 1, column 10"),
    ("{\"a\":\"b\\\"}", "line 1, column 6"), ("\"\\", "line 1, column 1"),
  ])
  func `an unclosed string is reported with its start`(text: String, position: String) {
    expectError(text, "\(position): the string that begins here is not closed")
  }

  @Test(arguments: ["\u{0}", "\u{1}", "\n", "\t", "\u{1f}"])
  func `an unescaped control character is reported with its position`(character: String) {
    expectError(
      "[\"a\\\"\\\\\",\n\"b\\\(character)d\"]",
      "line 2, column 4: a control character in a string has to be escaped")
  }

  @Test(arguments: [
    [0x80], [0xc0, 0xaf], [0xc3], [0xe2, 0x82], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80],
    [0xff], [0xf0, 0x80, 0x80, 0x80],
  ])
  func `invalid UTF-8 is reported with its position`(bad: [UInt8]) {
    let text = Array("[\"é\",\n\"€".utf8) + bad + Array("\"]".utf8)
    let error = #expect(throws: JSONError.self) { try JSONParser.parse(text) }
    #expect(error?.description == "line 2, column 3: this is not valid UTF-8")
    #expect(error?.offset == 11)
  }

  @Test(arguments: ["[", "{\"a\":", "[{\"a\":["])
  func `deep nesting is rejected`(opening: String) {
    let text = String(repeating: opening, count: 100_000)
    let error = #expect(throws: JSONError.self) { try JSONParser.parse(text) }
    #expect(error?.reason == "nested deeper than 64 levels")
    #expect(error?.line == 1)
  }

  @Test func `every truncated document is rejected with an offset`() throws {
    let parser = JSONParser()
    let text = Array(#" {"é":[1.5e3,true,"a\u00e9\n"],"b":{"c":null,"d":[{}]}}"#.utf8)
    _ = try parser.parse(text)
    for count in 2..<text.count {
      let error = #expect(throws: JSONError.self) { try parser.parse(Array(text[..<count])) }
      #expect(error?.offset.map { $0 <= count } == true, "first \(count) bytes")
    }
  }

  private func expectError(
    _ text: String, _ message: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let error = #expect(throws: JSONError.self, sourceLocation: sourceLocation) {
      try JSONParser.parse(text)
    }
    #expect(error?.description == message, "\(text)", sourceLocation: sourceLocation)
  }
}
