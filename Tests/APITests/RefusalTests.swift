import Engine
import JSON
import Testing

/// Invalid input is refused with the fault and the remedy, and changes nothing.
@Suite struct RefusalTests {
  struct Mistake: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var body: String
    var type: String? = "application/json"
    var status: Int
    var kind: String
    /// Texts that the detail must contain.
    var phrases: [String]
    var path: JSONValue?
  }

  static let malformed = [
    Mistake(
      testDescription: "nothing", body: "", status: 400, kind: "malformed-text",
      phrases: ["the text is empty"]),
    Mistake(
      testDescription: "not JSON", body: "hello", status: 400, kind: "malformed-text",
      phrases: ["line 1, column 1: expected a value", "nothing was changed"]),
    Mistake(
      testDescription: "half an event", body: String(Fixtures.event("e1").dropLast()), status: 400,
      kind: "malformed-text", phrases: ["expected a comma or }, but the text ends"]),
    Mistake(
      testDescription: "not UTF-8", body: "\"\\ud800\"", status: 400, kind: "malformed-text",
      phrases: ["half a surrogate pair"]),
    Mistake(
      testDescription: "a key twice", body: #"{"id":"a","data":{"day":1,"day":2}}"#, status: 400,
      kind: "malformed-text", phrases: ["data.day is given twice"], path: "data.day"),
    Mistake(
      testDescription: "another kind of value", body: "\"relapse\"", status: 400,
      kind: "malformed-event", phrases: ["an event must be an object; it is a string"]),
    Mistake(
      testDescription: "a batch sent as a single event", body: "[]",
      type: "application/cloudevents+json", status: 400, kind: "malformed-text",
      phrases: ["application/cloudevents-batch+json"]),
    Mistake(
      testDescription: "a single event sent as a batch", body: "{}",
      type: "application/cloudevents-batch+json", status: 400, kind: "malformed-text",
      phrases: ["a batch is an array of events; this is an object"]),
    Mistake(
      testDescription: "deeply nested", body: String(repeating: "[", count: 100_000), status: 400,
      kind: "malformed-text", phrases: ["nested deeper than 64 levels"]),
  ]

  static let unacceptable = [
    Mistake(
      testDescription: "a misspelt type", body: Fixtures.event("e1", type: "lesson.complete"),
      status: 422, kind: "unacceptable-event",
      phrases: ["not declared", "did you mean \"lesson.completed\"?"], path: "type"),
    Mistake(
      testDescription: "a misspelt zone",
      body: Fixtures.event(
        "e1", type: "recipient.updated", members: #""data":{"timezone":"Europe/Pariss"}"#),
      status: 422, kind: "unacceptable-event", phrases: ["\"Europe/Paris\""],
      path: "data.timezone"),
    day("0"), day("31"),
    Mistake(
      testDescription: "a number in quotes",
      body: Fixtures.event("e1", type: "lesson.completed", members: #""data":{"day":"3"}"#),
      status: 422, kind: "unacceptable-event", phrases: ["must be a whole number; it is a string"],
      path: "data.day"),
    Mistake(
      testDescription: "a far future",
      body: Fixtures.event("e1", members: #""time":"2126-03-02T02:00:00Z""#), status: 422,
      kind: "unacceptable-event", phrases: ["in the future: it is 2026-03-02T02:00:00.000Z here"],
      path: "time"),
    Mistake(
      testDescription: "a missing field", body: #"{"specversion":"1.0","type":"relapse"}"#,
      status: 422, kind: "unacceptable-event", phrases: ["id is missing"], path: "id"),
    Mistake(
      testDescription: "an unknown field", body: Fixtures.event("e1", members: #""tim":1"#),
      status: 422, kind: "unacceptable-event", phrases: ["did you mean \"time\"?"], path: "tim"),
    Mistake(
      testDescription: "a NUL", body: Fixtures.event("e\\u0000"), status: 422,
      kind: "unacceptable-event", phrases: ["must not contain control characters"], path: "id"),
    Mistake(
      testDescription: "a long id", body: Fixtures.event(String(repeating: "é", count: 200)),
      status: 422, kind: "unacceptable-event", phrases: ["1 to 256 bytes long; it has 400"],
      path: "id"),
  ]

  private static func day(_ day: String) -> Mistake {
    Mistake(
      testDescription: "day \(day)",
      body: Fixtures.event("e1", type: "lesson.completed", members: #""data":{"day":\#(day)}"#),
      status: 422, kind: "unacceptable-event", phrases: ["must be from 1 to 30; it is \(day)"],
      path: "data.day")
  }

  static let unsupported = [
    Mistake(
      testDescription: "a form", body: "a=1", type: "application/x-www-form-urlencoded",
      status: 415, kind: "unsupported-media-type",
      phrases: ["application/x-www-form-urlencoded is not supported", "application/x-ndjson"]),
    Mistake(
      testDescription: "no content type", body: "{}", type: nil, status: 415,
      kind: "unsupported-media-type", phrases: ["is missing", "application/cloudevents+json"]),
    Mistake(
      testDescription: "another charset", body: "{}", type: "application/json; charset=latin1",
      status: 415, kind: "unsupported-media-type", phrases: ["charset=latin1", "send UTF-8"]),
  ]

  @Test(arguments: malformed + unacceptable + unsupported)
  func `an invalid event is refused`(_ mistake: Mistake) async throws {
    let service = try FakeService()
    try await TestServer.serving(service) { server in
      let reply = try await server.post(mistake.body, as: mistake.type)
      try expect(reply, mistake)
    }
    #expect(service.groups == [])
  }

  private func expect(_ reply: Reply, _ mistake: Mistake) throws {
    #expect(reply.status == mistake.status)
    #expect(reply.contentType == "application/problem+json")
    let problem = try reply.json
    #expect(problem["type"] == .string("urn:chimed:problem:" + mistake.kind))
    #expect(problem["status"] == .integer(Int64(mistake.status)))
    #expect(problem["title"]?.stringValue?.isEmpty == false)
    #expect(problem["path"] == mistake.path)
    let detail = problem["detail"]?.stringValue ?? ""
    for phrase in mistake.phrases { #expect(detail.contains(phrase)) }
  }

  @Test func `the accepted content types are answered in Accept-Post`() async throws {
    try await TestServer.serving(FakeService()) { server in
      let reply = try await server.post("{}", as: "text/plain")
      #expect(reply["accept-post"]?.contains("application/json") == true)
    }
  }

  @Test func `a compressed body is refused`() async throws {
    try await TestServer.serving(FakeService()) { server in
      let headers = ["content-type": "application/json", "content-encoding": "gzip"]
      let reply = try await server.call(
        "POST", "/v1/events", headers: headers, body: "{}")
      #expect(reply.status == 415)
      #expect(try reply.json["detail"] == "the body has the encoding gzip; send it without one")
    }
  }

  /// Rule F3: other events of the batch are accepted.
  @Test func `F3: events of another node's recipient are answered 503`() async throws {
    let service = try FakeService()
    service.set { $0.foreign = ["u2"] }
    try await TestServer.serving(service) { server in
      let single = try await server.post(
        Fixtures.event("e1").replacing("\"u1\"", with: "\"u2\""))
      #expect(single.status == 503)
      #expect(single["retry-after"] == "1")
      let foreign = Fixtures.event("e3").replacing("\"u1\"", with: "\"u2\"")
      let events = "[\(Fixtures.event("e2")),\(foreign)]"
      let batch = try await server.post(events)
      #expect(batch.status == 207)
      #expect(try batch.json["accepted"] == 1)
      #expect(try batch.json["refused"] == 1)
    }
  }

  static let unavailabilities: [(ServiceUnavailable, status: Int, retry: String?)] = [
    (ServiceUnavailable(.stopping, "the service is stopping"), 503, "5"),
    (ServiceUnavailable(.overloaded, "too much at once; try again"), 503, "1"),
    (ServiceUnavailable(elsewhere: 3), 503, "1"),
    (ServiceUnavailable(.storageFull, "the disk is full; make room"), 507, "60"),
  ]

  @Test(arguments: unavailabilities)
  func `an unavailable service answers with the reason`(
    reason: ServiceUnavailable, status: Int, retry: String?
  ) async throws {
    let service = try FakeService()
    service.set { $0.unavailability = reason }
    try await TestServer.serving(service) { server in
      let replies = [
        try await server.post(Fixtures.event("e1")),
        try await server.post("[\(Fixtures.event("e1"))]"),
        try await server.post(Fixtures.event("e1"), as: "application/x-ndjson"),
        try await server.get("/v1/recipients/u1/pending"), try await server.get("/v1/status"),
        try await server.get("/readyz"),
      ]
      for reply in replies {
        #expect(reply.status == status)
        #expect(reply["retry-after"] == retry)
        #expect(try reply.json["detail"] == .string(reason.description))
      }
      #expect(try await server.get("/healthz").status == 200)
    }
  }
}
