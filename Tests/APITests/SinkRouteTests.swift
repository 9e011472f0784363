import API
import Access
import JSON
import Outbox
import Testing

/// Sinks are paused and go on over HTTP, by who administers the service.
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

  @Test func whatIsPausedIsShownAndGoesOn() async throws {
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
  func anotherNameIsRefusedWithWhereTheyAreListed(verb: String) async throws {
    try await TestServer.serving(service) { server in
      let reply = try await server.call("POST", "/v1/sinks/none/\(verb)")
      #expect(reply.status == 404)
      let detail = try reply.json["detail"]?.stringValue ?? ""
      #expect(detail == "there is no sink \"none\"; GET /v1/status lists them under lanes")
    }
  }
}
