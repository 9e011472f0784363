import API
import Access
import CivilTime
import Cryptography
import JSON
import Testing

/// The public key for web push, and its readers (rules H18 and H20).
@Suite struct PushKeyTests {
  private static let path = "/v1/push-key"
  private static let page = "https://app.example"
  private let tokens = FakeTokens()
  private let key = CurrentPushKey("BKey")
  private let secret = Array(repeating: UInt8(7), count: 32)

  private func serving(_ body: (TestServer) async throws -> Void) async throws {
    let rules = WebTokenRules(keys: [try WebKey(secret: secret)])
    try await TestServer.serving(
      FakeService(), listen: TCPAddress("127.0.0.1:0"),
      access: APIAccess(
        tokens: tokens, webTokens: CurrentWebTokenRules(rules), pushKey: key,
        origins: [PageOrigin(Self.page)].compactMap(\.self)), body)
  }

  private func answer(_ server: TestServer, _ token: String) async throws -> JSONValue {
    try await server.get(Self.path, bearing: token).json
  }

  /// - Parameter expiry: seconds since the epoch.
  private func webToken(signedWith secret: [UInt8], expiry: Int64) -> String {
    let parts = [#"{"alg":"HS256"}"#, #"{"sub":"amina","exp":\#(expiry)}"#]
    let signed = parts.map { Base64URL.encoded($0.utf8) }.joined(separator: ".")
    return signed + "."
      + Base64URL.encoded(MessageCode.code(of: Array(signed.utf8), key: Secret(secret)))
  }

  @Test(arguments: [AccessScope.recipient("amina"), .support, .administrator])
  func `H20: a recipient, support and an administrator read the key`(
    scope: AccessScope
  ) async throws {
    try await serving { server in
      let reply = try await server.get(Self.path, bearing: tokens.make(scope))
      #expect(reply.status == 200)
      #expect(try reply.json == ["key": "BKey"])
    }
  }

  @Test func `H20: the subject of a web token reads the key`() async throws {
    try await serving { server in
      let expiry = Fixtures.now.seconds + 600
      let validToken = webToken(signedWith: secret, expiry: expiry)
      let key = try await answer(server, validToken)
      #expect(key == ["key": "BKey"])
      let forged = webToken(signedWith: secret.map { $0 + 1 }, expiry: expiry)
      let expired = webToken(signedWith: secret, expiry: Fixtures.now.seconds - 600)
      for token in [forged, expired] {
        #expect(try await server.get(Self.path, bearing: token).status == 401)
      }
    }
  }

  @Test func `H20: forged, expired, revoked and foreign tokens do not read the key`() async throws {
    let pastInstant = Fixtures.now - .minutes(1)
    let validToken = tokens.make(.recipient("amina"))
    let forged = validToken.dropLast() + (validToken.hasSuffix("a") ? "b" : "a")
    let invalid = [
      String(forged), tokens.make(.recipient("amina"), expiry: pastInstant),
      tokens.make(.recipient("amina"), revoked: pastInstant),
      FakeTokens().make(.recipient("amina")),
    ]
    try await serving { server in
      for token in invalid {
        let reply = try await server.get(Self.path, bearing: token)
        #expect(reply.status == 401 && !reply.text.contains("BKey"))
      }
      let reply = try await server.call("GET", Self.path, isOverTCP: true)
      #expect(reply.status == 401 && !reply.text.contains("BKey"))
    }
  }

  @Test(arguments: [AccessScope.observer, .report(.unlimited)])
  func `H20: an observer and an app that reports do not read the key`(
    scope: AccessScope
  ) async throws {
    try await serving { server in
      let reply = try await server.get(Self.path, bearing: tokens.make(scope))
      #expect(reply.status == 403)
      let detail = try reply.json["detail"]?.stringValue ?? ""
      #expect(detail.contains("scope \(scope.name)") && !detail.contains("or observer"))
    }
  }

  @Test func `H20: without web push the answer names the settings`() async throws {
    try await serving { server in
      let token = tokens.make(.recipient("amina"))
      key.value = nil
      let reply = try await server.get(Self.path, bearing: token)
      #expect(reply.status == 404)
      #expect(try reply.json["type"] == "urn:chimed:problem:no-push-key")
      let detail = try reply.json["detail"]?.stringValue ?? ""
      #expect(detail.contains("webpush") && detail.contains("routes.push"))
      key.value = "BOther"
      #expect(try await answer(server, token) == ["key": "BOther"])
    }
  }

  @Test func `H18: a page of a configured origin reads the key`() async throws {
    try await serving { server in
      let fields = ["origin": Self.page, "sec-fetch-site": "cross-site"]
      let preflightHeaders = fields.merging(["access-control-request-method": "GET"]) { $1 }
      let preflight = try await server.perform(
        "OPTIONS", Self.path, headers: preflightHeaders, isOverTCP: true)
      #expect(preflight.status == 204)
      #expect(preflight["access-control-allow-methods"] == "GET")
      let scopes: [AccessScope] = [.recipient("amina"), .administrator, .report(.unlimited)]
      for (scope, status) in zip(scopes, [200, 403, 403]) {
        let bearer = ["authorization": "Bearer \(tokens.make(scope))"]
        let reply = try await server.perform(
          "GET", Self.path, headers: fields.merging(bearer) { $1 }, isOverTCP: true)
        #expect(reply.status == status, "\(scope)")
        #expect(reply["access-control-allow-origin"] == Self.page)
      }
      let foreign = preflightHeaders.merging(["origin": "https://evil.example"]) { $1 }
      let refused = try await server.perform(
        "OPTIONS", Self.path, headers: foreign, isOverTCP: true)
      #expect(refused.status == 403 && refused["access-control-allow-origin"] == nil)
    }
  }
}
