import CivilTime
import JSON
import Reminders
import Testing

/// Erasure and export of recipients over HTTP (rule H4).
@Suite struct ErasureTests {
  private func service() throws -> FakeService {
    let service = try FakeService()
    service.set { $0.recipients["u1"] = Recipient(name: "u1", now: Fixtures.now) }
    return service
  }

  @Test func `H4: DELETE erases a recipient`() async throws {
    let service = try service()
    try await TestServer.serving(service) { server in
      let reply = try await server.call("DELETE", "/v1/recipients/u1")
      #expect(reply.status == 200)
      #expect(
        try reply.json == ["recipient": "u1", "erased": "2026-03-02T02:00:00.000Z"])
    }
    #expect(service.events.map(\.type) == ["recipient.deleted"])
    #expect(service.events.map(\.recipient) == ["u1"])
  }

  @Test func `H4: an unfinished cleanup is answered 202 and shown in status`() async throws {
    let service = try service()
    service.set { $0.erasureOpen = Fixtures.now }
    try await TestServer.serving(service) { server in
      let reply = try await server.call("DELETE", "/v1/recipients/u1")
      #expect(reply.status == 202)
      let document = try reply.json
      #expect(document["recipient"] == "u1" && document["erased"] == "2026-03-02T02:00:00.000Z")
      let remains = try #require(document["remains"]?.stringValue)
      #expect(remains.contains("which are being cleaned: this takes a moment, and longer if"))
      let status = try await server.get("/v1/status").json
      #expect(status["erasureOpen"] == "2026-03-02T02:00:00.000Z")
    }
  }

  @Test(arguments: [("DELETE", "/v1/recipients/nobody"), ("GET", "/v1/recipients/nobody/export")])
  func `H4: an unknown recipient is answered 404`(method: String, path: String) async throws {
    let service = try service()
    try await TestServer.serving(service) { server in
      let reply = try await server.call(method, path)
      #expect(reply.status == 404)
      #expect(reply.contentType == "application/problem+json")
    }
    #expect(service.events.isEmpty)
  }

  @Test func `H30: an export contains the facts that follow from removed events`() async throws {
    let service = try service()
    let time = Fixtures.now - .days(90)
    let event = StoredEvent(
      order: 1, received: time, source: "app", identifier: "old", type: "recipient.updated",
      time: time, isTimeGiven: true, data: Array(#"{"locale":"de"}"#.utf8))
    var base = FactBase()
    base.fold([event], of: "u1") { _ in service.planner }
    service.set { $0.base = base }
    try await TestServer.serving(service) { server in
      let former = try await server.get("/v1/recipients/u1/export").json["former"]
      #expect(former?["recipient"] == "u1")
      #expect(former?["exported"] == .string(time.description))
      #expect(former?["profile"] == ["locale": "de"])
    }
  }

  @Test func `H4: an export contains everything stored about a recipient`() async throws {
    try await TestServer.serving(service()) { server in
      let reply = try await server.get("/v1/recipients/u1/export")
      #expect(reply.status == 200 && reply.contentType == "application/json")
      let document = try reply.json
      #expect(
        document.objectValue?.members.map(\.key) == [
          "recipient", "exported", "created", "profile", "devices", "permissions", "suppressed",
          "relations", "calendarLink", "preferences", "remembered", "pending", "analytics",
          "events",
          "notifications", "refused",
        ])
      #expect(document["preferences"]?["master"] == true)
      #expect(document["analytics"]?.arrayValue?.count == 2)
      #expect(document["events"]?.arrayValue?.map { $0["id"] } == ["2", "1"])
      #expect(document["events"]?[0]?["data"] == ["day": 3])
      #expect(
        document["refused"] == [
          ["submitted": "1970-01-01T00:00:00.000Z", "event": "{}", "reason": "no 0"],
          ["submitted": "1970-01-01T00:00:00.001Z", "event": "{}", "reason": "no 1"],
        ])
      #expect(
        document["notifications"] == [
          [
            "id": "i-7", "reminder": "note", "category": "NOTE", "title": "Note",
            "body": "A note.", "details": ["a": 1], "planned": "2026-03-02T02:00:00.000Z",
            "at": "2026-03-02T03:00:00.000Z", "expires": "2026-03-02T14:00:00.000Z",
            "channels": ["push"], "silent": false, "outcome": "delivered",
            "gates": [
              "expired": "passed", "master": "held", "category": "passed", "address": "passed",
            ],
            "retries": [
              ["sink": "webhook", "channel": "push", "attempts": 2, "due": nil, "reason": "gone"]
            ],
            "attempts": [],
          ]
        ])
    }
  }
}
