import JSON
import Testing

/// Analytics events and usage over HTTP (rules M1 and M2).
@Suite struct AnalyticsTests {
  @Test(arguments: ["/v1/analytics/events", "/v1/recipients/u1/analytics"])
  func `analytics events are paged`(path: String) async throws {
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
  func `an invalid query for analytics events is refused with a problem`(
    path: String, status: Int, word: String
  ) async throws {
    try await TestServer.serving(FakeService()) { server in
      let reply = try await server.get(path)
      #expect(reply.status == status)
      #expect(reply.contentType == "application/problem+json")
      #expect(reply.text.contains(word))
    }
  }

  @Test func `M2: usage is reported by category, channel and hour`() async throws {
    try await TestServer.serving(FakeService()) { server in
      let reply = try await server.get("/v1/analytics?from=2026-03-01&to=2026-03-02")
      #expect(reply.status == 200)
      #expect(
        try reply.json == [
          "from": "2026-03-01", "to": "2026-03-02",
          "usage": [
            [
              "category": "CHECKIN", "channel": "push", "hour": 7, "planned": 0, "sent": 0,
              "delivered": 0, "failed": 0, "received": 0, "bounced": 0, "complained": 0,
              "bundled": 0, "held": 0, "dropped": [:], "opened": 0,
              "dismissed": 0,
              "switchedOff": 1,
            ],
            [
              "category": "CHECKIN", "channel": "push", "hour": 21, "planned": 7, "sent": 3,
              "delivered": 2, "failed": 1, "received": 0, "bounced": 0, "complained": 0,
              "bundled": 0, "held": 0,
              "dropped": ["expired": 2, "quiet_hours": 1], "opened": 0,
              "dismissed": 0, "switchedOff": 0,
            ],
          ], "presets": ["minimal": 2],
        ])
    }
  }

  @Test func `M2: without dates, usage covers the last thirty days`() async throws {
    try await TestServer.serving(FakeService()) { server in
      let document = try await server.get("/v1/analytics").json
      #expect(document["from"] == "2026-02-01" && document["to"] == "2026-03-02")
      let day = try await server.get("/v1/analytics?from=2026-03-01&to=2026-03-01").json
      #expect(day["usage"]?[0]?["planned"] == 3 && day["presets"] == [:])
    }
  }

  @Test(arguments: [
    ("from=2026-03-03", "from"), ("from=2025-03-01&to=2026-03-02", "366 days"),
    ("from=1.3.2026", "from must be a date"), ("to=2026-02-30", "to must be a date"),
    ("day=1", "day"),
  ])
  func `M2: an invalid range of dates is refused`(query: String, word: String) async throws {
    try await TestServer.serving(FakeService()) { server in
      let reply = try await server.get("/v1/analytics?" + query)
      #expect(reply.status == 400)
      #expect(reply.text.contains(word))
    }
  }
}
