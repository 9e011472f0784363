import API
import Access
import CivilTime
import Engine
import JSON
import Outbox
import Reminders
import Testing

/// Rule D9 over HTTP: dead letters are listed, sent again and discarded.
@Suite(.timeLimit(.minutes(1))) struct DeadLetterTests {
  private static let names = ["amina", "bilal", "chadi"]

  private let service: LiveService

  /// Creates three dead letters at 21:00, and lets their sink accept deliveries again.
  init() async throws {
    service = try LiveService("imanpath", at: "2026-03-02T09:00:00Z") { batch in
      batch.map { _ in .rejected(reason: "gone") }
    }
    for name in Self.names {
      try await service.ingest("lesson.completed", ["day": 30], of: name)
    }
    try service.run(to: "2026-03-02T21:00:00Z")
    service.reply { batch in batch.map { _ in .delivered } }
  }

  private func letters(_ server: TestServer, _ query: String = "") async throws -> [JSONValue] {
    let reply = try await server.get("/v1/deadletters" + query)
    #expect(reply.status == 200)
    return try reply.json["deadLetters"]?.arrayValue ?? []
  }

  private func text(_ values: [JSONValue], _ member: String) -> [String] {
    values.compactMap { $0[member]?.stringValue }
  }

  private func outcomes(_ reply: Reply) throws -> [String] {
    text(try reply.json["deadLetters"]?.arrayValue ?? [], "outcome")
  }

  /// Any node accepts the request, but only the recipient's owner carries it out.
  @Test func `F3: the owner resends or discards a dead letter`() async throws {
    let fleet = FakeFleet()
    for name in Self.names { fleet.give(name, to: "b") }
    let entryService = try FakeService()
    try await fleet.serving([entryService, service]) { nodes in
      let ids = text(try await letters(nodes[1]), "id")
      for id in ids {
        let letter = try await service.answer(DeadLetterQuery(id))
        entryService.set { $0.letters[id] = letter }
      }
      let resent = try await nodes[0].call("POST", "/v1/deadletters/\(ids[0])/resend")
      #expect(try outcomes(resent) == ["resent"], "\(resent.text)")
      let discarded = try await nodes[0].call("DELETE", "/v1/deadletters/\(ids[1])")
      #expect(try outcomes(discarded) == ["discarded"], "\(discarded.text)")
      let unknown = try await nodes[0].call("DELETE", "/v1/deadletters/none-1.push")
      #expect(unknown.status == 404)
      #expect(text(try await letters(nodes[1]), "id") == [ids[2]])
    }
  }

  // MARK: - Listing

  @Test func `D9: dead letters are listed page by page`() async throws {
    try await TestServer.serving(service) { server in
      let first = try await server.get("/v1/deadletters?limit=2").json
      let page = first["deadLetters"]?.arrayValue ?? []
      #expect(text(page, "recipient") == ["amina", "bilal"])
      #expect(text(page, "sink") == ["test", "test"] && text(page, "reason") == ["gone", "gone"])
      #expect(page[0]["channel"] == "push" && page[0]["attempts"] == 1)
      #expect(page[0]["at"] == "2026-03-02T21:00:00.000Z")
      #expect(page[0]["title"] == nil, "the text is for its recipient alone")
      let next = try #require(first["next"]?.stringValue)
      let last = try await server.get("/v1/deadletters?limit=2&after=\(next)").json
      #expect(text(last["deadLetters"]?.arrayValue ?? [], "recipient") == ["chadi"])
      #expect(last["next"] == .null)
      #expect(try await letters(server, "?sink=test").count == 3)
      #expect(try await letters(server, "?sink=other").isEmpty)
      #expect(try await letters(server, "?after=elsewhere-1.push").isEmpty)
    }
  }

  private static let invalidQueries = [
    ("limit=0", "limit"), ("limit=1001", "limit"), ("limit=two", "limit"), ("after=", "after"),
    ("after=nonsense", "after"), ("after=x-1.pigeon", "after"), ("after=x-.push", "after"),
    ("sinks=test", "sinks"),
  ]

  @Test func `an invalid query changes no dead letter`() async throws {
    try await TestServer.serving(service) { server in
      let calls = [
        ("GET", "/v1/deadletters?"), ("DELETE", "/v1/deadletters?sink=test&"),
        ("POST", "/v1/deadletter-resends?sink=test&"),
      ]
      for (method, target) in calls {
        for (query, path) in Self.invalidQueries {
          let reply = try await server.call(method, target + query)
          #expect(reply.status == 400 && reply.contentType == "application/problem+json")
          #expect(try reply.json["path"]?.stringValue == path)
        }
      }
      #expect(try await letters(server).count == 3)
      #expect(service.delivered.isEmpty)
    }
  }

  @Test(arguments: [("DELETE", "/v1/deadletters"), ("POST", "/v1/deadletter-resends")])
  func `resending or discarding several requires a filter`(method: String, path: String)
    async throws
  {
    try await TestServer.serving(service) { server in
      let reply = try await server.call(method, path)
      #expect(reply.status == 400)
      #expect(try reply.json["path"]?.stringValue == "sink")
      #expect(try await letters(server).count == 3)
    }
  }

  // MARK: - Sending again

  @Test func `D9: a dead letter is resent with the same id`() async throws {
    try await TestServer.serving(service) { server in
      let letter = try #require(try await letters(server).first)
      let identifier = try #require(letter["id"]?.stringValue)
      let reply = try await server.call("POST", "/v1/deadletters/\(identifier)/resend")
      #expect(try outcomes(reply) == ["resent"])
      try service.run(to: "2026-03-02T21:00:00Z")
      #expect(service.delivered.map(\.identifier) == text([letter], "notification"))
      #expect(text(try await letters(server), "recipient") == ["bilal", "chadi"])
      let again = try await server.call("POST", "/v1/deadletters/\(identifier)/resend")
      #expect(again.status == 404)
      #expect(try again.json["type"] == "urn:chimed:problem:unknown-dead-letter")
    }
  }

  @Test func `V7: gates are evaluated again before a resend`() async throws {
    try await service.ingest(
      "preferences.updated",
      ["quietHours": ["enabled": true, "start": "20:00", "end": "23:00"]], of: "amina")
    try await TestServer.serving(service) { server in
      let reply = try await server.call("POST", "/v1/deadletter-resends?sink=test")
      #expect(try outcomes(reply) == ["held", "resent", "resent"])
      let held = try #require(try reply.json["deadLetters"]?.arrayValue?.first)
      #expect(held["until"] == "2026-03-02T23:00:00.000Z")
      #expect(held["reasons"] == ["quiet_hours"])
      try service.run(to: "2026-03-02T22:59:00Z")
      #expect(service.delivered.map(\.recipient) == ["bilal", "chadi"])
      try service.run(to: "2026-03-02T23:00:00Z")
      #expect(service.delivered.map(\.recipient) == ["bilal", "chadi", "amina"])
      #expect(try await letters(server).isEmpty)
    }
  }

  @Test func `V7: an expired dead letter is kept until it is discarded`() async throws {
    try service.run(to: "2026-03-03T09:00:01Z")
    try await TestServer.serving(service) { server in
      let kept = try await server.call("POST", "/v1/deadletter-resends?sink=test")
      #expect(try outcomes(kept) == ["kept", "kept", "kept"])
      let reasons = try kept.json["deadLetters"]?.arrayValue?.map { $0["reasons"] }
      #expect(reasons == Array(repeating: ["expired"], count: 3))
      #expect(service.delivered.isEmpty)
      let discarded = try await server.call("DELETE", "/v1/deadletters?sink=test&limit=2")
      #expect(try outcomes(discarded) == ["discarded", "discarded"])
      #expect(try discarded.json["next"]?.stringValue != nil)
      let last = try #require(text(try await letters(server), "id").first)
      #expect(
        try outcomes(try await server.call("DELETE", "/v1/deadletters/\(last)")) == ["discarded"])
      #expect(try await letters(server).isEmpty)
      #expect(try await server.call("DELETE", "/v1/deadletters/\(last)").status == 404)
    }
  }

  @Test func `D9: all dead letters of a sink are resent page by page`() async throws {
    try await TestServer.serving(service) { server in
      var (count, query) = (0, "?sink=test&limit=1")
      while true {
        let page = try await server.call("POST", "/v1/deadletter-resends" + query)
        count += try outcomes(page).count
        guard let next = try page.json["next"]?.stringValue else { break }
        query = "?sink=test&limit=1&after=\(next)"
      }
      try service.run(to: "2026-03-02T21:00:00Z")
      #expect(count == 3)
      #expect(service.delivered.map(\.recipient).sorted() == Self.names)
    }
  }

  @Test func `an unknown dead letter is answered 404`() async throws {
    try await TestServer.serving(service) { server in
      let calls = ["nonsense", "x-1.push", "x-1", "%2e%2e", "1.push"].flatMap { name in
        [("DELETE", "/v1/deadletters/" + name), ("POST", "/v1/deadletters/\(name)/resend")]
      }
      for (method, path) in calls {
        let reply = try await server.call(method, path)
        #expect(reply.status == 404)
        #expect(try reply.json["type"] == "urn:chimed:problem:unknown-dead-letter")
      }
    }
  }

  /// Only administrators have access to dead letters. A recipient has no access even to those of
  /// the recipient's own deliveries.
  @Test func `H1: a recipient can neither see nor change dead letters`() async throws {
    let tokens = FakeTokens()
    let bearers = ["amina", "bilal"].map { tokens.make(.recipient($0)) }
    try await TestServer.serving(service, access: APIAccess(tokens: tokens)) { server in
      let letter = try #require(text(try await letters(server), "id").first)
      let calls = [
        ("GET", "/v1/deadletters"), ("DELETE", "/v1/deadletters?sink=test"),
        ("POST", "/v1/deadletter-resends?sink=test"), ("DELETE", "/v1/deadletters/\(letter)"),
        ("POST", "/v1/deadletters/\(letter)/resend"),
      ]
      for bearer in bearers {
        for (method, path) in calls {
          let reply = try await server.call(
            method, path, headers: ["authorization": "Bearer \(bearer)"])
          #expect(reply.status == 403 && !reply.text.contains("gone"))
        }
      }
      #expect(try await letters(server).count == 3)
      #expect(service.delivered.isEmpty)
    }
  }
}
