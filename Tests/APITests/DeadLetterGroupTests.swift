import API
import CivilTime
import JSON
import Outbox
import Reminders
import Testing

/// Rule D9: dead letters are counted and selected by recipient, category and reason.
@Suite(.timeLimit(.minutes(1))) struct DeadLetterGroupTests {
  private let service: LiveService

  init() async throws {
    service = try LiveService("imanpath", at: "2026-03-02T09:00:00Z") { batch in
      batch.map { .rejected(reason: $0.recipient == "bilal" ? "no device" : "gone") }
    }
    for name in ["amina", "bilal", "chadi"] {
      try await service.ingest("milestone.reached", ["days": 7], of: name)
      try await service.ingest("lesson.completed", ["day": 30], of: name)
    }
    try service.run(to: "2026-03-02T21:00:00Z")
    service.reply { batch in batch.map { _ in .delivered } }
  }

  private func deadLetters(_ server: TestServer, _ query: String) async throws -> [String] {
    let page = try await server.get("/v1/deadletters?" + query).json
    return (page["deadLetters"]?.arrayValue ?? []).map {
      "\($0["recipient"]?.stringValue ?? "") \($0["category"]?.stringValue ?? "")"
    }
  }

  private func groups(_ server: TestServer, _ query: String) async throws -> [String] {
    let document = try await server.get("/v1/deadletter-groups?" + query).json
    return (document["groups"]?.arrayValue ?? []).map {
      "\($0["name"]?.stringValue ?? "") \($0["letters"]?.integerValue ?? 0)"
    }
  }

  @Test(
    arguments: [
      ("recipient=amina", ["amina MILESTONE", "amina CHECKIN"]), ("recipient=nobody", []),
      ("category=CHECKIN", ["amina CHECKIN", "bilal CHECKIN", "chadi CHECKIN"]),
      ("reason=no%20device&category=MILESTONE", ["bilal MILESTONE"]), ("reason=no", []),
      ("sink=test&recipient=chadi&category=CHECKIN", ["chadi CHECKIN"]),
      ("sink=other&recipient=chadi", []),
    ] as [(String, [String])])
  func `dead letters are filtered by their properties`(query: String, expected: [String])
    async throws
  {
    try await TestServer.serving(service) { server in
      let filtered = try await deadLetters(server, query)
      #expect(filtered == expected)
    }
  }

  @Test func `each page of filtered dead letters continues after the previous page`() async throws {
    try await TestServer.serving(service) { server in
      for limit in 1...4 {
        var (recipients, query): ([String], String?) = ([], "category=CHECKIN&limit=\(limit)")
        while let next = query {
          let page = try await server.get("/v1/deadletters?" + next).json
          recipients += (page["deadLetters"]?.arrayValue ?? []).compactMap {
            $0["recipient"]?.stringValue
          }
          query = page["next"]?.stringValue.map { "category=CHECKIN&limit=\(limit)&after=\($0)" }
        }
        #expect(recipients == ["amina", "bilal", "chadi"], "\(limit) a page")
      }
    }
  }

  @Test func `dead letters are counted in groups by reason, category, recipient or sink`()
    async throws
  {
    try await TestServer.serving(service) { server in
      #expect(try await groups(server, "") == ["gone 4", "no device 2"])
      #expect(try await groups(server, "by=category") == ["CHECKIN 3", "MILESTONE 3"])
      #expect(try await groups(server, "by=recipient") == ["amina 2", "bilal 2", "chadi 2"])
      #expect(try await groups(server, "by=sink&category=CHECKIN") == ["test 3"])
      #expect(try await groups(server, "by=sink&sink=other").isEmpty)
      let document = try await server.get("/v1/deadletter-groups?reason=gone").json
      #expect(document["by"] == "reason" && document["letters"] == 4 && document["whole"] == true)
      #expect(document["expired"] == 0)
      #expect(try await server.get("/v1/deadletter-groups?by=day").status == 400)
    }
  }

  @Test func `expired dead letters are counted in their group`() async throws {
    try service.run(to: "2026-03-03T09:30:00Z")
    try await TestServer.serving(service) { server in
      let document = try await server.get("/v1/deadletter-groups?by=category&reason=gone").json
      let checkin = document["groups"]?.arrayValue?.first { $0["name"] == "CHECKIN" }
      #expect(checkin == ["name": "CHECKIN", "letters": 2, "expired": 2])
    }
  }

  @Test func `a filtered resend leaves other dead letters alone`() async throws {
    try await TestServer.serving(service) { server in
      let reply = try await server.call(
        "POST", "/v1/deadletter-resends?reason=no%20device&category=CHECKIN")
      #expect(reply.status == 200)
      try service.run(to: "2026-03-02T21:00:00Z")
      #expect(service.delivered.map(\.recipient) == ["bilal"])
      let gone = try await server.call("DELETE", "/v1/deadletters?recipient=amina")
      #expect(try gone.json["deadLetters"]?.arrayValue?.count == 2)
      #expect(
        try await deadLetters(server, "") == [
          "bilal MILESTONE", "chadi MILESTONE", "chadi CHECKIN",
        ])
    }
  }
}
