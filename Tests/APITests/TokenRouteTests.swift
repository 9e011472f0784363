import API
import Access
import CivilTime
import JSON
import Testing

/// Tokens are listed and revoked by administrators, and made over the Unix socket.
@Suite struct TokenRouteTests {
  private let tokens = FakeTokens()

  private func serving(_ body: (TestServer) async throws -> Void) async throws {
    try await TestServer.serving(FakeService(), access: APIAccess(tokens: tokens), body)
  }

  @Test func `a new token gives its bearer access`() async throws {
    try await serving { server in
      let creation = try await server.post(
        #"{"name":"phone","scope":"recipient:u1","for":"30d"}"#, to: "/v1/tokens")
      #expect(creation.status == 201)
      #expect(creation["cache-control"] == "no-store")
      #expect(try creation.json["scope"] == "recipient:u1")
      #expect(try creation.json["status"] == "valid")
      let end = (Fixtures.now + .days(30)).description
      #expect(try creation.json["expires"] == .string(end))
      let token = try #require(try creation.json["token"]?.stringValue)
      #expect(try await server.get("/v1/recipients/u1/pending", bearing: token).status == 404)
    }
  }

  @Test(arguments: [("", 30), (#","for":"365d""#, 365), (#","for":"never""#, nil)])
  func `H17: a new token expires after 30 days unless the request names another lifetime`(
    member: String, days: Int?
  ) async throws {
    try await serving { server in
      let creation = try await server.post(
        #"{"name":"backend","scope":"admin"\#(member)}"#, to: "/v1/tokens")
      let end = days.map { JSONValue.string((Fixtures.now + .days($0)).description) }
      #expect(try creation.json["expires"] == end ?? .null)
    }
  }

  @Test func `the list of tokens contains no secret`() async throws {
    try await serving { server in
      let secrets = [tokens.make(.administrator), tokens.make(.recipient("u1"))]
      let reply = try await server.get("/v1/tokens")
      #expect(try reply.json["tokens"]?.arrayValue?.count == 2)
      #expect(try reply.json["next"] == .null)
      for secret in secrets { #expect(!reply.text.contains(secret.suffix(52))) }
    }
  }

  @Test func `the list of tokens is paged`() async throws {
    for number in 1...5 { _ = tokens.make(.recipient("u\(number)")) }
    try await serving { server in
      var identifiers: [String] = []
      var path: String? = "/v1/tokens?limit=2"
      while let page = path {
        let reply = try await server.get(page).json
        identifiers += (reply["tokens"]?.arrayValue ?? []).compactMap { $0["id"]?.stringValue }
        path = reply["next"]?.stringValue.map { "/v1/tokens?limit=2&after=\($0)" }
      }
      #expect(identifiers == tokens.tokens.map(\.identifier))
      #expect(try await server.get("/v1/tokens?after=nothing").status == 400)
      #expect(try await server.get("/v1/tokens?limit=0").status == 400)
    }
  }

  static let invalidRequests: [(body: String, path: String?, status: Int)] = [
    (#"{"scope":"admin"}"#, "name", 422), (#"{"name":"","scope":"admin"}"#, "name", 422),
    (#"{"name":"a","scope":"root"}"#, "scope", 422), (#"{"name":"a"}"#, "scope", 422),
    (#"{"name":"a","scope":"admin","for":"soon"}"#, "for", 422),
    (#"{"name":"a","scope":"admin","for":"-1d"}"#, "for", 422),
    (#"{"name":"a","scope":"admin","ends":"x"}"#, "ends", 422),
    (#"{"name":"a","scope":"admin","types":["relapse"]}"#, "types", 422),
    (#"{"name":"a","scope":"recipient:u1","source":"app"}"#, "source", 422),
    (#"{"name":"a","scope":"report","types":[]}"#, "types", 422),
    (#"{"name":"a","scope":"report","types":"relapse"}"#, "types", 422),
    (#"{"name":"a","scope":"report","types":["relapse",7]}"#, "types", 422),
    (#"{"name":"a","scope":"report","types":["a b"]}"#, "types", 422),
    (#"{"name":"a","scope":"report","types":["relapse","relaps"]}"#, "types[1]", 422),
    (#"{"name":"a","scope":"report","source":""}"#, "source", 422),
    (#"{"name":"a","scope":"report types=relapse"}"#, "scope", 422), ("[]", nil, 400),
    ("{", nil, 400),
  ]

  @Test(arguments: invalidRequests)
  func `an invalid request for a token makes none`(body: String, path: String?, status: Int)
    async throws
  {
    try await serving { server in
      let reply = try await server.post(body, to: "/v1/tokens")
      #expect(reply.status == status)
      if status == 422 { #expect(try reply.json["path"]?.stringValue == path) }
      #expect(tokens.tokens.isEmpty)
    }
  }

  @Test func `H19: the types and the source of a report token are shown`() async throws {
    try await serving { server in
      let creation = try await server.post(
        #"{"name":"a","scope":"report","types":["relapse","checkin.completed"],"source":"a b"}"#,
        to: "/v1/tokens")
      #expect(creation.status == 201)
      let list = try await server.get("/v1/tokens")
      for token in [try creation.json, try list.json["tokens"]?[0]] {
        #expect(token?["scope"] == "report")
        #expect(token?["types"] == ["relapse", "checkin.completed"])
        #expect(token?["source"] == "a b")
      }
      let text = "report types=relapse,checkin.completed source=a b"
      #expect(tokens.tokens.map(\.scope.text) == [text])
      let unlimitedToken = try await server.post(
        #"{"name":"all","scope":"report"}"#, to: "/v1/tokens")
      #expect(try unlimitedToken.json["types"] == nil && unlimitedToken.json["source"] == nil)
    }
  }

  @Test func `H19: an unknown type is refused with the nearest known one`() async throws {
    try await serving { server in
      let reply = try await server.post(
        #"{"name":"a","scope":"report","types":["checkin.complete"]}"#, to: "/v1/tokens")
      #expect(reply.status == 422)
      let detail = try reply.json["detail"]?.stringValue ?? ""
      #expect(detail.contains("\"checkin.completed\""))
    }
  }

  @Test func `revoking an unknown token is answered 404`() async throws {
    try await serving { server in
      let reply = try await server.call("DELETE", "/v1/tokens/nothing")
      #expect(reply.status == 404)
      #expect(try reply.json["type"] == "urn:chimed:problem:unknown-token")
    }
  }

  @Test func `H17: the last use of a token is shown`() async throws {
    try await serving { server in
      let (used, unused) = (tokens.make(.administrator), tokens.make(.administrator))
      #expect(try await server.get("/v1/status", bearing: used).status == 200)
      let list = try await server.get("/v1/tokens").json["tokens"]?.arrayValue ?? []
      let uses = list.map { ($0["id"]?.stringValue ?? "", $0["lastUsed"]) }
      #expect(uses.first { used.contains($0.0) }?.1 == .string(Fixtures.now.description))
      #expect(uses.first { unused.contains($0.0) }?.1 == .null)
    }
  }
}
