import API
import Access
import CivilTime
import JSON
import Outbox
import Reminders
import Testing

/// Rule D5 over HTTP: a test notification passes all steps and reports each of them.
@Suite(.timeLimit(.minutes(1))) struct TestNotificationTests {
  private let service: LiveService

  init() async throws {
    service = try LiveService("imanpath", at: "2026-03-02T09:00:00Z") { batch in
      batch.map { _ in .delivered }
    }
    for name in ["amina", "bilal"] {
      try await service.ingest("lesson.completed", ["day": 30], of: name)
    }
  }

  private func send(
    _ server: TestServer, to name: String = "amina", _ body: String = #"{"channel":"push"}"#,
    query: String = "", bearing token: String? = nil
  ) async throws -> Reply {
    var headers = ["content-type": "application/json"]
    if let token { headers["authorization"] = "Bearer \(token)" }
    return try await server.call(
      "POST", "/v1/recipients/\(name)/test" + query, headers: headers, body: body)
  }

  private func steps(_ reply: Reply) throws -> [String] {
    try reply.lines.compactMap { $0["step"]?.stringValue }
  }

  @Test func `D5: each step of a test is one line`() async throws {
    try await TestServer.serving(service) { server in
      let reply = try await send(
        server, #"{"channel":"push","title":"Hello","body":"A test."}"#)
      #expect(reply.status == 200 && reply.contentType == "application/x-ndjson")
      #expect(try steps(reply) == ["decided", "dispatched", "attempted", "delivered"])
      let lines = try reply.lines
      #expect(lines[0]["channel"] == "push" && lines[0]["route"] == ["test"])
      #expect(lines[1]["sink"] == "test" && lines[1]["at"] == "2026-03-02T09:00:00.000Z")
      #expect(service.delivered.map(\.title) == ["Hello"])
      #expect(service.delivered.map(\.identifier) == [lines[0]["notification"]?.stringValue])
    }
  }

  @Test func `D5: a rejected test ends as a dead letter`() async throws {
    service.reply { batch in batch.map { _ in .rejected(reason: "no such device") } }
    try await TestServer.serving(service) { server in
      let lines = try await send(server).lines
      #expect(
        lines.compactMap { $0["step"]?.stringValue } == [
          "decided", "dispatched", "attempted", "dead_letter",
        ])
      #expect(lines.last?["reason"] == "no such device")
      let letters = try await server.get("/v1/deadletters").json["deadLetters"]?.arrayValue
      #expect(letters?.compactMap { $0["reminder"]?.stringValue } == ["test"])
    }
  }

  @Test func `D5: a retried test is awaited for the requested time`() async throws {
    service.reply { batch in batch.map { _ in .retry(after: nil, reason: "busy") } }
    try await TestServer.serving(service) { server in
      let lines = try await send(server, query: "?wait=0").lines
      #expect(
        lines.compactMap { $0["step"]?.stringValue } == [
          "decided", "dispatched", "attempted", "next", "waiting",
        ])
      #expect(lines[3]["sink"] == "test" && lines[3]["reason"] == "busy")
    }
  }

  @Test func `D5: an unreachable recipient is sent nothing`() async throws {
    try await service.ingest(
      "permission.changed", ["channel": "push", "status": "denied"], of: "amina")
    try await TestServer.serving(service) { server in
      let reply = try await send(server)
      #expect(try steps(reply) == ["unreachable"])
      #expect(try reply.lines[0]["reason"] == "the recipient has denied push")
      #expect(service.delivered.isEmpty)
    }
  }

  private static let invalidRequests: [(body: String, query: String, status: Int, path: String?)] =
    [
      ("{}", "", 422, "channel"), (#"{"channel":"pigeon"}"#, "", 422, "channel"),
      (#"{"channel":"push","title":7}"#, "", 422, "title"),
      (#"{"channel":"push","urgent":true}"#, "", 422, "urgent"),
      (#"{"channel":"push"}"#, "?wait=51", 400, "wait"),
      (#"{"channel":"push"}"#, "?delay=1", 400, "delay"), ("[]", "", 400, nil), ("", "", 400, nil),
    ]

  @Test func `an invalid request for a test sends nothing`() async throws {
    try await TestServer.serving(service) { server in
      for (body, query, status, path) in Self.invalidRequests {
        let reply = try await send(server, body, query: query)
        #expect(reply.status == status, "\(body) \(query)")
        #expect(reply.contentType == "application/problem+json")
        if let path { #expect(try reply.json["path"]?.stringValue == path) }
      }
      #expect(service.delivered.isEmpty)
    }
  }

  /// A recipient's test would send a text of the recipient's choice at the operator's expense.
  @Test func `D5: administrators may send a test to any recipient, recipients to none`()
    async throws
  {
    let tokens = FakeTokens()
    let tokensByOwner = ["amina", "bilal"].map { ($0, tokens.make(.recipient($0))) }
    try await TestServer.serving(service, access: APIAccess(tokens: tokens)) { server in
      for (owner, token) in tokensByOwner {
        for name in ["amina", "bilal", "nobody"] {
          let reply = try await send(server, to: name, bearing: token)
          #expect(reply.status == 403, "\(owner)'s token, to \(name)")
        }
      }
      #expect(service.delivered.isEmpty)
      #expect(try await send(server, to: "bilal").status == 200)
      let unknown = try await send(server, to: "nobody")
      #expect(unknown.status == 404)
      #expect(try unknown.json["type"] == "urn:chimed:problem:unknown-recipient")
    }
  }
}
