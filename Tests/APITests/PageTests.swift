import API
import Access
import HTTPTypes
import Testing

/// No page of another site can use the permissions of a browser's user (rule H1).
@Suite(.timeLimit(.minutes(1))) struct PageTests {
  private static let refused: [[String: String]] = [
    ["Origin": "http://evil.example"], ["Origin": "null"], ["Origin": "http://localhost:3000"],
    ["Origin": "http://localhost.evil.example"], ["Origin": ""], ["Origin": "localhost"],
    ["Origin": "file://localhost"], ["Origin": "http://localhost, http://localhost"],
    ["Sec-Fetch-Site": "cross-site"], ["Sec-Fetch-Site": "same-site"], ["Sec-Fetch-Site": "x"],
    ["Sec-Fetch-Site": "cross-site", "Origin": "http://localhost"],
  ]

  private static let served: [[String: String]] = [
    [:], ["Origin": "http://localhost"], ["Origin": "http://localhost:80"],
    ["Sec-Fetch-Site": "same-origin"], ["Sec-Fetch-Site": "none"],
    ["Origin": "https://chime.home.arpa"],
    ["Sec-Fetch-Site": "same-origin", "Origin": "https://front.example"],
  ]

  /// Sends a request with an administrator's permissions, and returns the whole response.
  private func response(
    to request: String, _ fields: [String: String], isOverTCP: Bool
  ) async throws -> String {
    let tokens = FakeTokens()
    let lines = fields.map { "\($0): \($1)\r\n" }.joined()
    let bearer = isOverTCP ? "Authorization: Bearer \(tokens.make(.administrator))\r\n" : ""
    var answer = ""
    try await TestServer.serving(
      FakeService(), listen: TCPAddress("127.0.0.1:0"),
      access: APIAccess(tokens: tokens, hosts: ["chime.home.arpa"])
    ) { server in
      try await RawConnection.opened(to: server, isOverTCP: isOverTCP) { connection in
        try await connection.send(
          "\(request) HTTP/1.1\r\nHost: localhost\r\n\(lines)\(bearer)Connection: close\r\n\r\n")
        answer = try await connection.receiveAll()
      }
    }
    return answer
  }

  @Test(arguments: refused, [true, false])
  func `H1: a request by a page of another site is refused with the reason`(
    fields: [String: String], isOverTCP: Bool
  ) async throws {
    for request in ["GET /v1/status", "GET /healthz", "POST /v1/events"] {
      let answer = try await response(to: request, fields, isOverTCP: isOverTCP)
      #expect(answer.hasPrefix("HTTP/1.1 403 "))
      #expect(answer.contains("urn:chimed:problem:cross-site"))
      #expect(answer.contains("which is not the service's own"))
    }
  }

  @Test(arguments: served, [true, false])
  func `H1: a request that no foreign page has sent is served`(
    fields: [String: String], isOverTCP: Bool
  ) async throws {
    let answer = try await response(to: "GET /v1/status", fields, isOverTCP: isOverTCP)
    #expect(answer.hasPrefix("HTTP/1.1 200 "))
  }

  // MARK: - Pages of configured origins

  private static let app = "https://app.example"

  /// Sends a request as a page would, with a token of the given scope, if any.
  private func reply(
    _ method: String, _ path: String, of page: String = app, scope: AccessScope? = nil,
    headers: [String: String] = [:], origins: [PageOrigin?] = [PageOrigin(app)]
  ) async throws -> Reply {
    let tokens = FakeTokens()
    var fields = headers.merging(["origin": page, "sec-fetch-site": "cross-site"]) { $1 }
    if let scope { fields["authorization"] = "Bearer \(tokens.make(scope))" }
    var reply: Reply?
    try await TestServer.serving(
      FakeService(), listen: TCPAddress("127.0.0.1:0"),
      access: APIAccess(tokens: tokens, origins: origins.compactMap(\.self))
    ) { server in
      reply = try await server.perform(method, path, headers: fields, isOverTCP: true)
    }
    return try #require(reply)
  }

  private static let recipientPath = "/api/notifications/unread-count"

  @Test func `H18: a page of a configured origin may use a recipient's token`() async throws {
    let reply = try await reply("GET", Self.recipientPath, scope: .recipient("amina"))
    #expect(reply.status == 200)
    #expect(reply["access-control-allow-origin"] == Self.app)
    #expect(reply["access-control-expose-headers"] == "ETag, Retry-After")
    #expect(reply["access-control-allow-credentials"] == nil)
    #expect(reply["vary"]?.contains("Origin") == true)
  }

  @Test(arguments: [AccessScope.administrator, .support, .observer, nil])
  func `H18: a page of a configured origin gets nothing without a recipient's token`(
    scope: AccessScope?
  ) async throws {
    for (method, path) in [("GET", Self.recipientPath), ("POST", "/v1/events")] {
      let reply = try await reply(method, path, scope: scope)
      #expect(reply.status == (scope == nil ? 401 : 403))
      // The page can read the reason.
      #expect(reply["access-control-allow-origin"] == Self.app)
    }
  }

  @Test(arguments: ["/v1/status", "/healthz", "/metrics", "/v1/console/session", "/openapi.json"])
  func `H18: a page of a configured origin may not use other paths`(path: String) async throws {
    #expect(try await reply("GET", path, scope: .recipient("amina")).status == 403)
    let preflight = ["access-control-request-method": "GET"]
    #expect(try await reply("OPTIONS", path, headers: preflight).status == 403)
  }

  @Test func `H18: a preflight request is answered without a token`() async throws {
    let preflight = [
      "access-control-request-method": "PATCH",
      "access-control-request-headers": "authorization,content-type",
    ]
    let reply = try await reply(
      "OPTIONS", "/v1/recipients/amina/preferences?dryRun=true", headers: preflight)
    #expect(reply.status == 204)
    #expect(reply["access-control-allow-origin"] == Self.app)
    #expect(reply["access-control-allow-methods"] == "GET, PATCH")
    let fields = try #require(reply["access-control-allow-headers"])
    #expect(fields == "Authorization, Content-Type, If-Match, Last-Event-ID")
    #expect(reply["access-control-max-age"] == "600")
    #expect(reply["access-control-allow-credentials"] == nil)
  }

  @Test(arguments: [
    "https://app.example.evil", "https://app.example:8443", "null", "http://app.example",
  ])
  func `H18: a page of another origin is refused`(page: String) async throws {
    let preflight = ["access-control-request-method": "GET"]
    for (method, scope) in [("GET", AccessScope.recipient("amina")), ("OPTIONS", nil)] {
      let reply = try await reply(
        method, Self.recipientPath, of: page, scope: scope, headers: preflight)
      #expect(reply.status == 403)
      #expect(reply["access-control-allow-origin"] == nil)
    }
  }

  @Test func `H18: a page on another port of the service's own host is refused`() async throws {
    let page = "https://chime.home.arpa:8443"
    let tokens = FakeTokens()
    try await TestServer.serving(
      FakeService(), listen: TCPAddress("127.0.0.1:0"),
      access: APIAccess(
        tokens: tokens, hosts: ["chime.home.arpa"], origins: [PageOrigin(page)].compactMap(\.self))
    ) { server in
      let fields = ["origin": page, "authorization": "Bearer \(tokens.make(.administrator))"]
      for path in ["/v1/status", Self.recipientPath] {
        let reply = try await server.perform("GET", path, headers: fields, isOverTCP: true)
        #expect(reply.status == 403)
      }
      let events = try await server.perform(
        "POST", "/v1/events", headers: fields.merging(["content-type": "application/json"]) { $1 },
        body: "[]", isOverTCP: true)
      #expect(events.status == 403)
    }
  }

  @Test func `H18: a page of a configured origin may report events in binary mode`() async throws {
    let preflight = [
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization, ce-id,CE-Type,x-other",
    ]
    let reply = try await reply("OPTIONS", "/v1/events", headers: preflight)
    #expect(reply.status == 204)
    let fields = reply["access-control-allow-headers"]
    #expect(fields == "Authorization, Content-Type, If-Match, Last-Event-ID, ce-id, ce-type")
  }

  @Test func `a preflight request for an unknown path is answered 404`() async throws {
    let preflight = ["access-control-request-method": "GET"]
    let reply = try await reply("OPTIONS", "/v1/recipients/amina/pendin", headers: preflight)
    #expect(reply.status == 404)
  }

  @Test func `H18: a page of a configured origin cannot read pages that links open`() async throws {
    for path in ["/console/", "/unsubscribe/x", "/a/x"] {
      #expect(try await reply("GET", path)["access-control-allow-origin"] == nil)
    }
  }

  @Test func `without configured origins, pages of other sites are refused`() async throws {
    let preflight = ["access-control-request-method": "GET"]
    let answer = try await reply("OPTIONS", Self.recipientPath, headers: preflight, origins: [])
    #expect(answer.status == 405)
    let refused = try await reply(
      "GET", Self.recipientPath, scope: .recipient("amina"), origins: [])
    #expect(refused.status == 403 && refused["access-control-allow-origin"] == nil)
    #expect(refused["vary"] == nil)
  }

  @Test(arguments: [
    ("https://app.example", "https://app.example"), ("HTTPS://App.Example:443", app),
    ("https://app.example:8443", "https://app.example:8443"),
    ("http://localhost:5173", "http://localhost:5173"), ("http://[::1]:80", "http://[::1]"),
    ("http://app.example", nil), ("https://app.example/", nil), ("https://a@app.example", nil),
    ("https://app.example:0", nil), ("https://127.1", nil), ("https://1.2.3.004", nil),
    ("https://192.0.2.1", "https://192.0.2.1"), ("https://app..example", nil),
    ("https://%41pp.example", nil), ("https://a'b.example", nil), ("https://[2001:db8::1]", nil),
    ("http://app.localhost", "http://app.localhost"), ("http://.localhost", nil),
    ("https://", nil), ("app.example", nil), ("*", nil), ("null", nil), ("https://*.example", nil),
    ("file://localhost", nil), ("", nil),
  ])
  func `an origin is a scheme, a host and a port`(text: String, origin: String?) {
    #expect(PageOrigin(text)?.description == origin)
  }
}
