import JSON
import Testing

@Suite struct StatusTests {
  @Test func theStatusIsAllThereIs() async throws {
    try await TestServer.serving(FakeService()) { server in
      let reply = try await server.get("/v1/status")
      #expect(reply.status == 200)
      #expect(
        try reply.json == [
          "now": "2026-03-02T02:00:00.000Z", "started": "2026-03-02T00:00:00.000Z",
          "recipients": 3, "pending": 5, "due": 0, "deadLetters": 0,
          "next": [
            "reminder": "daily-checkin-reminder", "recipients": 2,
            "at": "2026-03-02T02:05:00.000Z",
          ],
          "lanes": [
            ["sink": "journal", "waiting": 0, "retrying": 0, "failure": nil],
            ["sink": "webhook", "waiting": 4, "retrying": 1, "failure": "connection refused"],
          ],
          "catalogs": ["test"], "zoneDatabase": "2026f", "defaultZone": "UTC",
          "storageFailure": nil,
        ])
    }
  }

  @Test(arguments: ["/v1/status", "/healthz", "/nowhere"])
  func anAnswerSaysWhenItWasGivenAndByWhom(path: String) async throws {
    try await TestServer.serving(FakeService()) { server in
      for method in ["GET", "HEAD"] {
        let reply = try await server.call(method, path)
        #expect(reply["date"] == "Mon, 02 Mar 2026 02:00:00 GMT")
        #expect(reply["server"] == "chimed")
      }
    }
  }

  @Test(arguments: [("/healthz", "ok"), ("/readyz", "ready")])
  func aWordForThoseWhoWatch(path: String, word: String) async throws {
    try await TestServer.serving(FakeService()) { server in
      let reply = try await server.get(path)
      #expect(reply.status == 200)
      #expect(reply.text == "{\"status\":\"\(word)\"}")
    }
  }
}
