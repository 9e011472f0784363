import API
import Access
import CivilTime
import JSON
import Outbox
import Reminders
import Testing

/// Notifications and drops of all recipients: `GET /v1/notifications`.
@Suite(.timeLimit(.minutes(1))) struct FeedTests {
  private let service: LiveService

  /// Three recipients have a check-in at 21:00; the sink rejects bilal's. The app also requests a
  /// notification for chadi at noon.
  init() async throws {
    service = try LiveService("imanpath", at: "2026-03-02T12:00:00Z") { batch in
      batch.map { $0.recipient == "bilal" ? .rejected(reason: "no device") : .delivered }
    }
    for name in ["amina", "bilal", "chadi"] {
      try await service.ingest("recipient.updated", ["name": "Secret"], of: name)
      try await service.ingest("streak.started", of: name)
    }
    try await service.ingest(
      "notification.requested",
      ["category": "CHECKIN", "title": "A title", "body": "A body", "expires": "PT1M"], of: "chadi")
    try service.run(to: "2026-03-02T21:00:00Z")
  }

  private func lines(_ page: JSONValue) -> [String] {
    (page["notifications"]?.arrayValue ?? []).map { entry in
      ["recipient", "reminder", "outcome"].map { entry[$0]?.stringValue ?? "" }
        .joined(separator: " ")
    }
  }

  private static let checkins = [
    "chadi daily-checkin-reminder accepted", "bilal daily-checkin-reminder failed",
    "amina daily-checkin-reminder accepted",
  ]

  @Test func `the feed lists the latest first, with names and without texts`() async throws {
    try await TestServer.serving(service) { server in
      let reply = try await server.get("/v1/notifications?category=CHECKIN&limit=3")
      #expect(reply.status == 200)
      #expect(lines(try reply.json) == Self.checkins)
      for words in ["A title", "A body", "Secret", "Check-in", "How was"] {
        #expect(!reply.text.contains(words))
      }
      let failed = try #require(try reply.json["notifications"]?[1])
      #expect(
        failed["deliveries"] == [
          [
            "channel": "push", "outcome": "failed", "sink": "test", "obstacle": "no device",
          ]
        ])
      #expect(failed["at"] == "2026-03-02T21:00:00.000Z" && failed["reasons"] == [])
    }
  }

  @Test(
    arguments: [
      ("reminder=daily-checkin-reminder", [0, 1, 2]), ("outcome=failed", [1]),
      ("outcome=delivered&category=CHECKIN&reminder=daily-checkin-reminder", [0, 2]),
      ("sink=test&reminder=daily-checkin-reminder", [0, 1, 2]), ("sink=other", []),
      ("channel=email", []), ("reminder=none", []), ("outcome=bundled", []),
      ("channel=push&outcome=failed&sink=test", [1]),
    ] as [(String, [Int])])
  func `the feed is filtered by its parameters`(query: String, indices: [Int]) async throws {
    try await TestServer.serving(service) { server in
      let page = try await server.get("/v1/notifications?" + query).json
      #expect(lines(page) == indices.map { Self.checkins[$0] })
      #expect(page["next"] == .null)
    }
  }

  @Test func `each page of the feed continues after the previous one`() async throws {
    try await TestServer.serving(service) { server in
      let allLines = lines(try await server.get("/v1/notifications").json)
      #expect(allLines.count > 3)
      for limit in 1...allLines.count {
        var (pagedLines, query): ([String], String?) = ([], "limit=\(limit)")
        while let next = query {
          let page = try await server.get("/v1/notifications?" + next).json
          pagedLines += lines(page)
          query = page["next"]?.stringValue.map { "limit=\(limit)&after=\($0)" }
        }
        #expect(pagedLines == allLines, "\(limit) a page")
      }
    }
  }

  /// A search without a match stops after a thousand notifications and continues in the next page.
  @Test func `H6: a page of a search examines a limited number of rows`() async throws {
    let data: JSONValue = ["category": "CHECKIN", "title": "T", "body": "B"]
    for _ in 0..<3 {
      try await service.ingest("notification.requested", data, of: "omar", times: 500)
    }
    try await TestServer.serving(service) { server in
      let page = try await server.get("/v1/notifications?outcome=failed").json
      #expect(lines(page).isEmpty)
      let next = try #require(page["next"]?.stringValue)
      let nextPage = try await server.get("/v1/notifications?outcome=failed&after=\(next)").json
      #expect(lines(nextPage) == [Self.checkins[1]])
    }
  }

  @Test func `H5: the feed is for administrators and support`() async throws {
    let tokens = FakeTokens()
    try await TestServer.serving(service, access: APIAccess(tokens: tokens)) { server in
      for (scope, status) in [
        (AccessScope.administrator, 200), (.support, 200), (.observer, 403),
        (.recipient("amina"), 403),
      ] {
        let reply = try await server.get("/v1/notifications", bearing: tokens.make(scope))
        #expect(reply.status == status, "\(scope)")
      }
    }
  }

  @Test(arguments: ["outcome=lost", "channel=fax", "limit=0", "after=x", "person=amina"])
  func `an invalid query of the feed is refused`(query: String) async throws {
    try await TestServer.serving(service) { server in
      let reply = try await server.get("/v1/notifications?" + query)
      #expect(reply.status == 400)
    }
  }
}
