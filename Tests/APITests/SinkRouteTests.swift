import API
import Access
import CivilTime
import JSON
import Outbox
import Reminders
import Testing

/// Administrators pause, resume and test sinks over HTTP.
@Suite(.timeLimit(.minutes(1))) struct SinkRouteTests {
  private let service: LiveService

  init() async throws {
    service = try LiveService("imanpath", at: "2026-03-02T09:00:00Z") { batch in
      batch.map { _ in .delivered }
    }
  }

  private func isPaused(_ server: TestServer) async throws -> Bool? {
    try await server.get("/v1/status").json["lanes"]?[0]?["paused"]?.boolValue
  }

  @Test func `a paused sink is shown as paused until it is resumed`() async throws {
    try await TestServer.serving(service) { server in
      #expect(try await isPaused(server) == false)
      let paused = try await server.call("POST", "/v1/sinks/test/pause")
      #expect(paused.status == 200)
      #expect(try paused.json == ["sink": "test", "paused": true])
      #expect(try await isPaused(server) == true)
      let metrics = try await server.get("/metrics").text
      #expect(metrics.contains("chimed_sink_paused{sink=\"test\"} 1"))
      let resumed = try await server.call("POST", "/v1/sinks/test/resume")
      #expect(try resumed.json == ["sink": "test", "paused": false])
      #expect(try await isPaused(server) == false)
    }
  }

  @Test(arguments: ["pause", "resume"])
  func `an unknown sink is answered 404 with the path that lists the sinks`(verb: String)
    async throws
  {
    try await TestServer.serving(service) { server in
      let reply = try await server.call("POST", "/v1/sinks/none/\(verb)")
      #expect(reply.status == 404)
      let detail = try reply.json["detail"]?.stringValue ?? ""
      #expect(detail == "there is no sink \"none\"; GET /v1/status lists them under lanes")
    }
  }

  private func postTest(
    _ server: TestServer, _ body: String = "{}", of sink: String = "test"
  ) async throws -> Reply {
    try await server.call("POST", "/v1/sinks/\(sink)/test", body: body)
  }

  @Test func `D5: the sink's response to a test is shown unchanged`() async throws {
    service.reply { batch in
      let response = SinkResponse(
        status: "503", body: Array("busy".utf8), duration: .milliseconds(20))
      return batch.map { _ in
        SinkAnswer(.retry(after: .seconds(30), reason: "it is busy"), response: response)
      }
    }
    try await TestServer.serving(service) { server in
      let result = try await postTest(server, #"{"channel": "email"}"#).json
      #expect(
        result == [
          "sink": "test", "id": "test-1772442000000", "channel": "email",
          "at": "2026-03-02T09:00:00.000Z", "verdict": "retry", "reason": "it is busy",
          "retryAfter": "30s", "status": "503", "excerpt": "busy", "milliseconds": 20,
        ])
    }
  }

  /// The sink is paused: a paused sink can be tested too.
  @Test func `D5: a test of a sink records nothing`() async throws {
    try await service.ingest("streak.started", of: "u1")
    try await TestServer.serving(service) { server in
      _ = try await server.call("POST", "/v1/sinks/test/pause")
      let lanesBefore = try await server.get("/v1/status").json["lanes"]
      let result = try await postTest(server, #"{"recipient": "u1", "title": "Hello"}"#).json
      #expect(result["verdict"] == "delivered" && result["channel"] == "push")
      service.reply { batch in batch.map { _ in .rejected(reason: "never") } }
      #expect(try await postTest(server).json["verdict"] == "rejected")
      #expect(try await server.get("/v1/status").json["lanes"] == lanesBefore)
      let history = try await server.get("/v1/recipients/u1/notifications?part=all").json
      #expect(history["notifications"] == [])
    }
  }

  @Test func `D5: a missing answer of a sink is reported as an outage`() async throws {
    service.reply { _ in [] }
    try await TestServer.serving(service) { server in
      let json = try await postTest(server).json
      #expect(json["verdict"] == "outage" && json["reason"] == "it answered 0 of 1 deliveries")
    }
  }

  @Test(arguments: [
    ("none", "{}", 404, "there is no sink"), ("test", #"{"recipient": "nobody"}"#, 404, "nobody"),
    ("test", #"{"channel": "fax"}"#, 422, "push, email, sms, inapp"),
    ("test", #"{"to": "a@b.c"}"#, 422, "channel, recipient, title, body"),
    ("test?wait=51", "{}", 400, "from 1 to 50"),
  ])
  func `an invalid test of a sink is refused`(
    sink: String, body: String, status: Int, detail: String
  ) async throws {
    try await TestServer.serving(service) { server in
      let (name, query) = (sink.prefix { $0 != "?" }, sink.drop { $0 != "?" })
      let reply = try await server.perform("POST", "/v1/sinks/\(name)/test\(query)", body: body)
      #expect(reply.status == status)
      #expect(try reply.json["detail"]?.stringValue?.contains(detail) == true, "\(reply.text)")
    }
  }

  @Test func `D2: routes are shown in their order`() async throws {
    try await TestServer.serving(service) { server in
      let routes = try await server.get("/v1/status").json["routes"]
      #expect(
        routes == ["push": ["test"], "email": ["test"], "sms": ["test"], "inapp": ["test"]])
    }
  }
}
