import JSON
import Testing

@Suite struct JSONParserTests {
  @Test func `an event is parsed`() throws {
    let event = try JSONParser.parse(
      """
      {"specversion": "1.0", "id": "e14", "data": {"timezone": "Asia/Kathmandu", "n": [1, 2.5]}}
      """)
    #expect(
      event == [
        "specversion": "1.0", "id": "e14",
        "data": ["timezone": "Asia/Kathmandu", "n": [1, 2.5]],
      ])
    #expect(event.objectValue?.map(\.key) == ["specversion", "id", "data"])
  }

  static let values: [(text: String, value: JSONValue)] = [
    ("null", nil), ("true", true), ("false", false), ("\"\"", ""), ("[]", []),
    ("{}", [:]), (" \t\r\n[ ]\n", []), ("[[],{},[{}]]", [[], [:], [[:]]]),
    ("{\"\":{\"\":1}}", ["": ["": 1]]), ("[null,true,false]", [nil, true, false]),
  ]

  @Test(arguments: values)
  func `values are parsed`(text: String, value: JSONValue) throws {
    #expect(try JSONParser.parse(text) == value)
  }

  static let numbers: [(text: String, value: JSONValue)] = [
    ("0", .integer(0)), ("-0", .integer(0)), ("7", .integer(7)), ("7.0", .number(7)),
    ("-7e0", .number(-7)), ("1E+2", .number(100)), ("0.1", .number(0.1)), ("-0.0", .number(-0.0)),
    ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
    ("9223372036854775808", .number(9_223_372_036_854_775_808)),
    ("18446744073709551615", .number(18_446_744_073_709_551_616)),
    ("1.7976931348623157e308", .number(.greatestFiniteMagnitude)),
    ("5e-324", .number(.leastNonzeroMagnitude)),
    ("1e-400", .number(0)), ("9007199254740993", .integer(9_007_199_254_740_993)),
  ]

  @Test(arguments: numbers)
  func `numbers are parsed`(text: String, value: JSONValue) throws {
    #expect(try JSONParser.parse(text) == value)
    #expect(try JSONParser.parse("[\(text), \(text)]") == [value, value])
  }

  @Test(arguments: [
    (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{c}\n\r\t"), (#""\u0041\u00e9\u20AC""#, "Aé€"),
    (#""\ud83c\udf82""#, "🎂"), (#""\u0000""#, "\u{0}"),
    ("\"é€🎂\u{2028}\u{7f}\"", "é€🎂\u{2028}\u{7f}"),
    ("\"a string of more than fifteen bytes\"", "a string of more than fifteen bytes"),
  ])
  func `strings are parsed`(text: String, value: String) throws {
    #expect(try JSONParser.parse(text) == .string(value))
    #expect(try JSONParser.parse("{\(text):\(text)}") == .object([value: .string(value)]))
  }

  @Test func `one parser reads many documents, also after an error`() throws {
    let parser = JSONParser()
    let long = Array("[\"\(String(repeating: "é", count: 300_000))\"]".utf8)
    #expect(try parser.parse("[1]") == [1])
    #expect(throws: JSONError.self) { try parser.parse("[1") }
    #expect(try parser.parse(long)[0]?.stringValue?.unicodeScalars.count == 300_000)
    #expect(throws: JSONError.self) { try parser.parse(Array(long.dropLast())) }
    #expect(try parser.parse("{\"a\":null}") == ["a": nil])
  }

  @Test func `part of a buffer is parsed`() throws {
    let bytes = Array("12345".utf8)
    let value = try bytes.withUnsafeBytes { bytes in
      try JSONParser().parse(UnsafeRawBufferPointer(rebasing: bytes[1..<3]))
    }
    #expect(value == 23)
  }

  @Test func `the maximum depth is accepted, and a deeper text is rejected`() throws {
    let parser = JSONParser(maximumDepth: 3)
    #expect(try parser.parse("[{\"a\":[1]}]") == [["a": [1]]])
    #expect(try parser.parse("[[[[],{}]]]") == [[[[], [:]]]])
    for text in ["[{\"a\":[[1]]}]", "[[[[1]]]]", "[[[{\"a\":1}]]]", "[[[[[]]]]]", "[[[[{"] {
      let error = #expect(throws: JSONError.self) { try parser.parse(text) }
      #expect(error?.reason == "nested deeper than 3 levels")
    }
    let error = #expect(throws: JSONError.self) { try parser.parse("[[[[]], {}, x]]") }
    #expect(error?.description == "line 1, column 13: expected a value")
  }

  @Test func `the maximum length is accepted, and a longer text is rejected`() throws {
    let parser = JSONParser(maximumBytes: 4)
    #expect(try parser.parse("1234") == 1234)
    let error = #expect(throws: JSONError.self) { try parser.parse("12345") }
    #expect(error?.description == "the text has 5 bytes; at most 4 are allowed")
  }
}
