import JSON
import Testing

@testable import API

/// Rule H8: events in binary mode, with attributes as headers.
@Suite(.timeLimit(.minutes(1))) struct BinaryEventTests {
  private static let headers = [
    "ce-specversion": "1.0", "ce-id": "e1", "ce-source": "/app", "ce-type": "lesson.completed",
    "ce-subject": "%C3%BCnal", "ce-time": "2026-03-02T01:30:00Z", "ce-partitionkey": "7",
    "content-type": "application/json",
  ]

  /// Sends the event of `headers`, with the changed headers; a header with nil is left out.
  private func post(
    _ changes: [String: String?] = [:], body: String = #"{"day":1}"#
  ) async throws -> (reply: Reply, service: FakeService) {
    var headers = Self.headers
    for (name, value) in changes { headers[name] = value }
    let service = try FakeService()
    let reply = try await TestServer.serving(service) {
      try await $0.call("POST", "/v1/events", headers: headers, body: body)
    }
    return (reply, service)
  }

  @Test func `H8: in binary mode headers are attributes and the body is data`() async throws {
    let (reply, _) = try await post()
    #expect(reply.status == 202)
    #expect(try reply.json == ["id": "e1", "status": "accepted"])
    let vendorType = try await post(["content-type": "application/vnd.app+json; charset=utf-8"])
      .reply
    #expect(vendorType.status == 202)
  }

  @Test(arguments: [
    ("ce-id", nil, 422, "id is missing"),
    ("ce-subject", nil, 422, "subject is missing"),
    ("ce-subject", "%zz", 400, "the header ce-subject is not percent-encoded UTF-8"),
    ("ce-time", "yesterday", 422, "time must be a time"),
    ("ce-sauce", "x", 422, "sauce is not a member of an event"),
    ("ce-specversion", "0.3", 422, "specversion must be \"1.0\""),
    ("content-type", "text/plain", 415, "the content type text/plain is not supported"),
  ])
  func `H8: a missing or wrong header is refused with its name`(
    header: String, value: String?, status: Int, beginning: String
  ) async throws {
    let reply = try await post([header: value]).reply
    #expect(reply.status == status)
    #expect(try reply.json["detail"]?.stringValue?.hasPrefix(beginning) == true, "\(reply.text)")
  }

  @Test func `H8: in binary mode the data must be JSON`() async throws {
    #expect(try await post(body: "{").reply.status == 400)
    #expect(try await post(["ce-type": "relapse"], body: "").reply.status == 202)
  }

  /// The content type decides the mode.
  @Test func `H8: an event in structured mode is not read as binary`() async throws {
    let event = #"{"specversion":"1.0","id":"s","source":"a","type":"relapse","subject":"u1"}"#
    let reply = try await post(["content-type": "application/cloudevents+json"], body: event).reply
    #expect(try reply.json["id"] == "s")
  }
}
