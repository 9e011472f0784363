import API
import Access
import CivilTime
import JSON
import Testing

/// A bearer token determines the caller, regardless of the connection (rule H1).
@Suite struct BearerTests {
  private let tokens = FakeTokens()

  private func serving(_ body: (TestServer) async throws -> Void) async throws {
    try await TestServer.serving(FakeService(), access: APIAccess(tokens: tokens), body)
  }

  @Test func `an administrator's token permits everything except making tokens`() async throws {
    try await serving { server in
      let token = tokens.make(.administrator)
      #expect(try await server.get("/v1/status", bearing: token).status == 200)
      #expect(try await server.get("/v1/recipients/u1/pending", bearing: token).status == 404)
      #expect(try await server.get("/v1/tokens", bearing: token).status == 200)
      let reply = try await server.call(
        "POST", "/v1/tokens",
        headers: ["authorization": "Bearer \(token)", "content-type": "application/json"],
        body: #"{"name":"another","scope":"admin"}"#)
      #expect(reply.status == 403)
      #expect(try reply.json["detail"]?.stringValue?.contains("over the Unix socket") == true)
    }
  }

  @Test func `a recipient's token permits only that recipient's resources`() async throws {
    try await serving { server in
      let token = tokens.make(.recipient("u1"))
      let expected = [
        ("/v1/recipients/u1/preferences", 404), ("/v1/recipients/%751/pending", 404),
        ("/v1/recipients/u2/pending", 403), ("/v1/status", 403), ("/healthz", 200),
      ]
      for (path, status) in expected {
        let reply = try await server.get(path, bearing: token)
        #expect(reply.status == status, "\(path)")
      }
    }
  }

  @Test func `an invalid token is answered 401 with the reason`() async throws {
    let pastInstant = Fixtures.now - .minutes(1)
    let unknown = FakeTokens().make(.administrator)
    let validToken = tokens.make(.administrator)
    let mistyped = validToken.dropLast() + (validToken.hasSuffix("a") ? "b" : "a")
    let invalidHeaders: [(String, String)] = [
      (
        "Bearer \(tokens.make(.administrator, expiry: pastInstant))",
        "the token expired at \(pastInstant)"
      ),
      ("Bearer \(tokens.make(.administrator, revoked: pastInstant))", "the token was revoked at"),
      ("Bearer \(unknown)", "the token is unknown"),
      ("Bearer \(mistyped)", "the token is unknown"),
      ("Bearer x", "this is not a token of this service"),
      ("Bearer", "has to be \"Bearer TOKEN\""), ("Basic YTpi", "has to be \"Bearer TOKEN\""),
    ]
    try await serving { server in
      for (header, reason) in invalidHeaders {
        let reply = try await server.call(
          "GET", "/v1/status", headers: ["authorization": header])
        #expect(reply.status == 401)
        #expect(reply["www-authenticate"] == "Bearer realm=\"chimed\", error=\"invalid_token\"")
        #expect(try reply.json["type"] == "urn:chimed:problem:unauthenticated")
        #expect(try reply.json["detail"]?.stringValue?.contains(reason) == true)
        // The secret of a token is its last 52 characters. No answer repeats it.
        #expect(header.count < 52 || !reply.text.contains(header.suffix(52)))
      }
    }
  }

  @Test func `a revoked token is refused`() async throws {
    try await serving { server in
      let token = tokens.make(.administrator)
      let identifier = try #require(tokens.tokens.first?.identifier)
      let accepted = try await server.get("/v1/status", bearing: token)
      let revocation = try await server.call("DELETE", "/v1/tokens/\(identifier)")
      let refused = try await server.get("/v1/status", bearing: token)
      #expect([accepted, revocation, refused].map(\.status) == [200, 200, 401])
    }
  }

  @Test func `E5: the id of a recipient's event cannot conflict with an app's`() async throws {
    let service = try LiveService("imanpath", at: "2026-03-02T09:00:00.000Z")
    try await TestServer.serving(service, access: APIAccess(tokens: tokens)) { server in
      func report(as scope: AccessScope, day: Int, of name: String) async throws -> Reply {
        let data = #""data":{"day":\#(day)}"#
        let event = Fixtures.event("e1", type: "lesson.completed", members: data)
          .replacing("\"u1\"", with: "\"\(name)\"")
        return try await server.call(
          "POST", "/v1/events",
          headers: [
            "content-type": "application/json", "authorization": "Bearer \(tokens.make(scope))",
          ], body: event)
      }
      #expect(try await report(as: .recipient("a/b"), day: 1, of: "a/b").status == 202)
      #expect(try await report(as: .recipient("a"), day: 2, of: "a").status == 202)
      #expect(try await report(as: .administrator, day: 3, of: "a").status == 202)
      let repeated = try await report(as: .recipient("a"), day: 2, of: "a")
      #expect(repeated.status == 200)
      #expect(try repeated.json["status"] == "duplicate")
      #expect(try await report(as: .recipient("a"), day: 4, of: "a").status == 409)
      let export = try await server.call("GET", "/v1/recipients/a/export")
      let sources = try export.json["events"]?.arrayValue?.compactMap { $0["source"]?.stringValue }
      #expect(sources == ["test", "recipient:a/test"])
    }
  }

  @Test func `in a batch, a recipient's token reports only that recipient's events`() async throws {
    let service = try FakeService()
    let token = tokens.make(.recipient("u1"))
    try await TestServer.serving(service, access: APIAccess(tokens: tokens)) { server in
      let otherRecipientsEvent = Fixtures.event("e2").replacing("\"u1\"", with: "\"u2\"")
      let batch = "[\(Fixtures.event("e1")),\(otherRecipientsEvent),\(Fixtures.event("e3"))]"
      let reply = try await server.call(
        "POST", "/v1/events",
        headers: ["content-type": "application/json", "authorization": "Bearer \(token)"],
        body: batch)
      let items = try reply.json["items"]?.arrayValue ?? []
      #expect(items.map { $0["status"] } == ["accepted", "refused", "accepted"])
      #expect(items[1]["problem"]?["status"] == 403)
      #expect(items[1]["problem"]?["type"] == "urn:chimed:problem:foreign-event")
    }
    #expect(service.groups == [["e1", "e3"]])
  }
}
