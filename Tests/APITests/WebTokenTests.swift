import API
import Access
import CivilTime
import Cryptography
import JSON
import Testing

/// A JSON Web Token gives access to its subject's resources (rule H1).
@Suite struct WebTokenTests {
  private let secret = Array(repeating: UInt8(7), count: 32)

  /// Returns a token that expires so many seconds after the epoch.
  private func token(_ recipient: String, expiry: Int64 = Fixtures.now.seconds + 60) -> String {
    let parts = [#"{"alg":"HS256"}"#, #"{"sub":"\#(recipient)","exp":\#(expiry)}"#]
    let signed = parts.map { Base64URL.encoded($0.utf8) }.joined(separator: ".")
    return signed + "."
      + Base64URL.encoded(MessageCode.code(of: Array(signed.utf8), key: Secret(secret)))
  }

  @Test func `a web token gives access only to its subject's resources`() async throws {
    let rules = CurrentWebTokenRules(WebTokenRules(keys: [try WebKey(secret: secret)]))
    let access = APIAccess(webTokens: rules)
    try await TestServer.serving(FakeService(), access: access) { server in
      let expected = [
        ("/v1/recipients/u1/pending", 404), ("/v1/recipients/u2/pending", 403), ("/v1/status", 403),
      ]
      for (path, status) in expected {
        let reply = try await server.get(path, bearing: token("u1"))
        #expect(reply.status == status, "\(path)")
      }
    }
  }

  @Test func `an invalid web token is refused with the reason`() async throws {
    let rules = CurrentWebTokenRules(WebTokenRules(keys: [try WebKey(secret: secret)]))
    let access = APIAccess(webTokens: rules)
    try await TestServer.serving(FakeService(), access: access) { server in
      let expiredReply = try await server.get(
        "/v1/status", bearing: token("u1", expiry: Fixtures.now.seconds - 60))
      #expect(expiredReply.status == 401)
      #expect(
        try expiredReply.json["detail"]?.stringValue?.contains("the token expired at") == true)
      let validToken = token("u1")
      rules.value = WebTokenRules(keys: [try WebKey(secret: secret.map { $0 + 1 })])
      let refusal = try await server.get("/v1/status", bearing: validToken)
      #expect(refusal.status == 401)
    }
  }

  @Test func `without a key no web token is accepted`() async throws {
    try await TestServer.serving(FakeService()) { server in
      let reply = try await server.get("/v1/status", bearing: token("u1"))
      #expect(reply.status == 401)
      #expect(try reply.json["detail"]?.stringValue?.contains("--jwt-keys") == true)
    }
  }
}
