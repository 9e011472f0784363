import JSON
import Testing

@Suite struct JSONWriterTests {
  @Test func `a writer separates values with commas`() {
    var writer = JSONWriter(reservingCapacity: 10)
    writer.beginObject()
    writer.member("id", "e14")
    writer.member("count", 3)
    writer.member("big", Int64.min)
    writer.member("ratio", 0.5)
    writer.member("late", false)
    writer.member("extra", ["a": nil] as JSONValue)
    writer.key(constant: "list")
    writer.beginArray()
    writer.beginObject()
    writer.endObject()
    writer.beginArray()
    writer.value(1)
    writer.null()
    writer.endArray()
    writer.value(true)
    writer.raw("[ ]")
    writer.raw(Array("{ }".utf8))
    writer.endArray()
    writer.key("a \"key\"")
    writer.value("é")
    writer.endObject()
    #expect(
      text(writer) == #"{"id":"e14","count":3,"big":-9223372036854775808,"ratio":0.5,"late":false,"#
        + #""extra":{"a":null},"list":[{},[1,null],true,[ ],{ }],"a \"key\"":"é"}"#)
  }

  @Test func `a writer ends lines, and removeAll empties it`() {
    var writer = JSONWriter()
    writer.value("forgotten")
    writer.removeAll()
    for number in 1...2 {
      writer.value(number)
      writer.endLine()
    }
    #expect(text(writer) == "1\n2\n")
  }

  @Test(arguments: [
    ("", #""""#), ("plain", #""plain""#), ("\"\\/", #""\"\\/""#),
    ("\u{8}\u{c}\n\r\t", #""\b\f\n\r\t""#), ("\u{0}\u{1}\u{1f}", #""\u0000\u0001\u001f""#),
    ("\u{7f}é€🎂\u{2028}\u{2029}", "\"\u{7f}é€🎂\u{2028}\u{2029}\""),
    ("a long string with a\nbreak in it", #""a long string with a\nbreak in it""#),
  ])
  func `only the required characters are escaped`(string: String, json: String) {
    #expect(JSONValue.string(string).description == json)
    #expect(JSONValue.object([string: 1]).description == "{\(json):1}")
  }

  @Test func `every control character is escaped and parsed again`() throws {
    let string = String(String.UnicodeScalarView((0...0x7f).compactMap { UnicodeScalar($0) }))
    let written = JSONWriter.compact(.string(string))
    #expect(!written.contains { $0 < 0x20 })
    #expect(try JSONParser.parse(written) == .string(string))
  }

  @Test(arguments: [
    (0, "0"), (9, "9"), (10, "10"), (-1, "-1"), (999, "999"), (1000, "1000"),
    (.max, "9223372036854775807"), (.min, "-9223372036854775808"),
    (999_999_999_999_999_999, "999999999999999999"),
    (1_000_000_000_000_000_000, "1000000000000000000"),
  ])
  func `integers are written`(integer: Int64, json: String) {
    #expect(JSONValue.integer(integer).description == json)
  }

  @Test(arguments: [
    (0.1, "0.1"), (7, "7.0"), (-0.0, "-0.0"), (1e300, "1e+300"), (.leastNonzeroMagnitude, "5e-324"),
    (.infinity, "null"), (.nan, "null"),
  ])
  func `numbers are written`(number: Double, json: String) {
    #expect(JSONValue.number(number).description == json)
  }

  @Test func `a string that Swift stores on the heap is written`() {
    let long = "a string of more than fifteen bytes"
    var writer = JSONWriter()
    writer.value(long)
    #expect(text(writer) == "\"\(long)\"")
  }

  @Test func `pretty printing indents`() {
    let value: JSONValue = ["a": 1, "b": [], "c": [true, ["d": "\n"]], "e": [:]]
    #expect(
      JSONWriter.prettyPrinted(value) == #"""
        {
          "a": 1,
          "b": [],
          "c": [
            true,
            {
              "d": "\n"
            }
          ],
          "e": {}
        }
        """#)
  }

  private func text(_ writer: JSONWriter) -> String {
    String(decoding: writer.bytes, as: UTF8.self)
  }
}
