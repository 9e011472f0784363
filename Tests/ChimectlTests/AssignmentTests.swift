import JSON
import Testing

@testable import chimectl

@Suite struct AssignmentTests {
  static let values: [(text: String, value: JSONValue)] = [
    ("a=true", true), ("a=false", false), ("a=null", nil), ("a=3", 3), ("a=-3", -3),
    ("a=1.5", 1.5), ("a=1e3", .number(1_000)), ("a=", ""), ("a=True", "True"), ("a=007", "007"),
    ("a=+1", "+1"), ("a= 1", " 1"), ("a=1 ", "1 "), ("a=21:00", "21:00"), ("a=b=c", "b=c"),
    ("a=\"1\"", "\"1\""), ("a=[1]", "[1]"), ("a=Europe/Paris", "Europe/Paris"), ("a=é", "é"),
    ("a:=\"1\"", "1"), ("a:=[1,{\"b\":null}]", [1, ["b": nil]]), ("a:=true", true),
  ]

  @Test(arguments: values)
  func `the type of a value follows from its text`(text: String, value: JSONValue) throws {
    #expect(try Assignment(text).value == value)
    #expect(try Assignment(text).path == ["a"])
  }

  @Test func `dots make nested objects`() throws {
    let texts = ["quietHours.enabled=true", "day=3", "quietHours.start=22:00", "a.b.c=1", "a.d=2"]
    let data = try Assignment.data(texts.map { try Assignment($0) })
    #expect(
      JSONValue.object(data) == [
        "quietHours": ["enabled": true, "start": "22:00"], "day": 3,
        "a": ["b": ["c": 1], "d": 2],
      ])
  }

  static let mistakes: [(texts: [String], message: String)] = [
    (["day"], "\"day\" is not key=value"), (["=3"], "\"=3\" has an empty key"),
    ([":=3"], "\":=3\" has an empty key"), (["a..b=3"], "\"a..b=3\" has an empty key"),
    ([".a=3"], "\".a=3\" has an empty key"), (["a:={"], "the value of a is not JSON"),
    (["a=1", "a=2"], "a contradicts"), (["a=1", "a.b=2"], "a.b contradicts"),
    (["a.b=1", "a=2"], "a contradicts"), (["a.b=1", "a.b.c=2"], "a.b.c contradicts"),
  ]

  @Test(arguments: mistakes)
  func `an invalid assignment is a usage error`(texts: [String], message: String) {
    let failure = #expect(throws: CommandError.self) {
      try Assignment.data(texts.map { try Assignment($0) })
    }
    #expect(failure?.code == .usage)
    #expect(failure?.message.hasPrefix(message) == true)
  }

  static let refused: [(texts: [String], hint: String?)] = [
    (["name=Iron", #"plan={"times":[]}"#], "plan=… is sent as text; write plan:=… for JSON"),
    (["a.b=[1]"], "a.b=… is sent as text; write a.b:=… for JSON"), (["a:=[1]"], nil),
    (["a={b}"], nil), (["a=3"], nil),
  ]

  @Test(arguments: refused)
  func `a refusal says how to send JSON instead of text`(texts: [String], hint: String?) async {
    let failure = await #expect(throws: CommandError.self) {
      try await Assignment.advising(texts) { throw CommandError(.data, "refused") }
    }
    #expect(failure == CommandError(.data, "refused", hint: hint))
  }

  @Test func `other failures have no hint about JSON`() async {
    let failure = await #expect(throws: CommandError.self) {
      try await Assignment.advising(["a=[1]"]) { throw CommandError(.temporary, "busy") }
    }
    #expect(failure == CommandError(.temporary, "busy"))
  }
}
