import CivilTime
import JSON
import Reminders
import Testing

/// Rules E1 and E2: valid events are read, and invalid ones are refused.
@Suite struct EventReaderTests {
  private static let valid = """
    {"specversion":"1.0","id":"1","source":"app","type":"lesson.completed","subject":"amina",\
    "time":"2026-03-02T10:00:00Z","data":{"day":3}}
    """

  @Test func `E1: a valid event is read`() throws {
    let event = try Self.event(Self.valid)
    #expect(event.identifier == "1")
    #expect(event.source == "app")
    #expect(event.type == "lesson.completed")
    #expect(event.recipient == "amina")
    #expect(try event.time == utc("2026-03-02 10:00"))
    #expect(event.isTimeGiven)
    guard case .happening(number: 3, isInteractive: false) = event.content else {
      Issue.record("\(event.content) must be the third lesson")
      return
    }
  }

  @Test func `E1: an event without a time happens on arrival`() throws {
    let event = try Self.event(Self.valid.replacing(#""time":"2026-03-02T10:00:00Z","#, with: ""))
    #expect(try event.time == utc("2026-03-02 12:00"))
    #expect(!event.isTimeGiven)
  }

  @Test func `E1: an event of a simulation needs a time`() throws {
    let json = try JSONParser.parse(
      Self.valid.replacing(#""time":"2026-03-02T10:00:00Z","#, with: ""))
    let refusal = #expect(throws: Refusal.self) {
      try EventReader(planner: Fixtures.planner()).event(json, now: nil)
    }
    #expect(refusal?.description == "time is missing; every event of a simulation needs a time")
  }

  @Test(arguments: ["[]", "\"event\"", "null", "7"])
  func `E1: an event that is not an object is malformed`(text: String) {
    let refusal = #expect(throws: Refusal.self) { try Self.event(text) }
    #expect(refusal?.kind == .malformed)
    #expect(refusal?.description.hasPrefix("an event must be an object; it is ") == true)
  }

  @Test(arguments: [
    (#""1.0""#, #""0.3""#, "specversion must be \"1.0\", the version of CloudEvents"),
    (#""specversion":"1.0","#, "", "specversion must be \"1.0\", the version of CloudEvents"),
    (#""id":"1""#, #""id":1"#, "id must be a string; it is an integer"),
    (#""id":"1""#, #""id":"""#, "id must be 1 to 256 bytes long; it has 0"),
    (#""id":"1","#, "", "id is missing"),
    (
      #""source":"app""#, #""sauce":"app""#,
      "sauce is not a member of an event; did you mean \"source\"?"
    ),
    (#""source":"app""#, #""source":"a\u0000b""#, "source must not contain control characters"),
    (#""subject":"amina","#, "", "subject is missing"),
    (#""amina""#, #""a\nb""#, "subject must not contain control characters"),
    (#""amina""#, #""a\u0085b""#, "subject must not contain control characters"),
    (
      #""amina""#, "\"" + String(repeating: "é", count: 65) + "\"",
      "subject must be 1 to 128 bytes long; it has 130"
    ),
    (
      "lesson.completed", "lesson.complete",
      "type \"lesson.complete\" is not declared; did you mean \"lesson.completed\"?"
    ),
    ("lesson.completed", "xyz", "type \"xyz\" is not declared"),
    (
      "2026-03-02T10:00:00Z", "2026-03-02",
      "time must be a time such as \"2026-03-02T21:00:00Z\" (RFC 3339)"
    ),
    (
      "2026-03-02T10:00:00Z", "2026-02-30T10:00:00Z",
      "time must be a time such as \"2026-03-02T21:00:00Z\" (RFC 3339)"
    ),
    (
      "2026-03-02T10:00:00Z", "2026-03-02T12:10:00.001Z",
      "time is 2026-03-02T12:10:00.001Z, in the future: it is 2026-03-02T12:00:00.000Z here; "
        + "report an event when it has happened, or set the clock of the app"
    ),
    (#"{"day":3}"#, "[]", "data must be an object; it is an array"),
    (#"{"day":3}"#, "null", "data.day is missing"),
    (#"{"day":3}"#, #"{"day":"3"}"#, "data.day must be a whole number; it is a string"),
    (#"{"day":3}"#, #"{"day":3.5}"#, "data.day must be a whole number; it is a number"),
    (#"{"day":3}"#, #"{"day":0}"#, "data.day must be from 1 to 30; it is 0"),
    (#"{"day":3}"#, #"{"day":31}"#, "data.day must be from 1 to 30; it is 31"),
    (
      #"{"day":3}"#, #"{"day":3,"lesson":1}"#,
      "data.lesson is not known; lesson.completed carries data.day"
    ),
  ])
  func `E1: a refusal names the fault`(right: String, wrong: String, text: String) {
    let refusal = #expect(throws: Refusal.self) {
      try Self.event(Self.valid.replacing(right, with: wrong))
    }
    #expect(refusal?.description == text)
    #expect(refusal?.kind == .unacceptable)
  }

  @Test(arguments: [
    (
      "milestone.reached", #"{"days":8}"#,
      "data.days is 8, which no catalog declares; declared are "
        + "1, 3, 7, 14, 21, 30, 40, 60, 90, 120, 180, 270, 365"
    ),
    (
      "milestone.reached", #"{"days":36501}"#, "data.days must be from 1 to 36500; it is 36501"
    ),
    ("relapse", #"{"day":3}"#, "data.day is not known; relapse carries no data"),
    (
      "recipient.deleted", #"{"why":1}"#, "data.why is not known; recipient.deleted carries no data"
    ),
  ])
  func `E2: data must fit the type`(type: String, data: String, text: String) {
    let json = Self.valid.replacing("lesson.completed", with: type)
      .replacing(#"{"day":3}"#, with: data)
    let refusal = #expect(throws: Refusal.self) { try Self.event(json) }
    #expect(refusal?.description == text)
  }

  @Test(arguments: [
    "recipient.deleted", "checkin.completed", "streak.started", "relapse",
  ])
  func `E2: some types need no data`(type: String) throws {
    let json = Self.valid.replacing("lesson.completed", with: type)
    for data in ["", #","data":{}"#, #","data":null"#] {
      #expect(try Self.event(json.replacing(#","data":{"day":3}"#, with: data)).type == type)
    }
  }

  @Test func `E1: a time up to ten minutes ahead is accepted`() throws {
    let event = try Self.event(
      Self.valid.replacing("2026-03-02T10:00:00Z", with: "2026-03-02T13:10:00+01:00"))
    #expect(try event.time == utc("2026-03-02 12:10"))
  }

  private static func event(_ text: String) throws -> Event {
    try EventReader(planner: Fixtures.planner())
      .event(try JSONParser.parse(text), now: try utc("2026-03-02 12:00"))
  }
}
