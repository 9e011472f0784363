import JSON
import Testing

/// Rule M1, over HTTP.
@Suite struct AnalyticsTests {
  @Test(arguments: ["/v1/analytics/events", "/v1/recipients/u1/analytics"])
  func eventsAreReadAPageAtATime(path: String) async throws {
    try await TestServer.serving(FakeService()) { server in
      let first = try await server.get(path + "?limit=1")
      #expect(first.status == 200)
      #expect(
        try first.json == [
          "events": [
            [
              "id": "3", "recipient": "u1", "time": "2026-03-02T02:00:00.000Z",
              "name": "dnd_enabled",
              "parameters": ["end_time": "08:00", "start_time": "21:00"],
            ]
          ], "next": "3",
        ])
      let second = try await server.get(path + "?limit=1&after=3").json
      #expect(second["events"]?[0]?["name"] == "push_permission_status")
      #expect(second["next"] == nil || second["next"] == .null)
    }
  }

  @Test(arguments: [
    ("/v1/analytics/events?limit=0", 400, "limit"),
    ("/v1/analytics/events?after=x", 400, "after"),
    ("/v1/analytics/events?since=1", 400, "since"),
    ("/v1/recipients/nobody/analytics", 404, "nobody"),
  ])
  func whatIsAskedWrongIsRefused(path: String, status: Int, word: String) async throws {
    try await TestServer.serving(FakeService()) { server in
      let reply = try await server.get(path)
      #expect(reply.status == status)
      #expect(reply.contentType == "application/problem+json")
      #expect(reply.text.contains(word))
    }
  }
}
