import Access
import CivilTime
import Cryptography
import JSON
import TestSupport
import Testing

/// JSON Web Tokens are verified with a configured key. Their `sub` is the recipient (rule H1).
@Suite struct WebTokenTests {
  private static let issuer = Result { try Issuer() }
  private static let algorithms = ["HS256", "RS256", "PS256", "ES256", "EdDSA"]
  private let now = Instant(milliseconds: 1_772_416_800_000)
  private let issuer: Issuer

  init() throws {
    issuer = try Self.issuer.get()
  }

  private func rules(_ issuerName: String? = nil, _ audience: String? = nil) throws -> WebTokenRules
  {
    WebTokenRules(
      keys: try WebKey.keys(in: issuer.keySet(), file: "keys"), issuer: issuerName,
      audience: audience)
  }

  private func claims(_ extraMembers: JSONObject = [:]) -> JSONObject {
    var claims: JSONObject = ["sub": "u1", "exp": .integer(now.seconds + 300)]
    for member in extraMembers { claims[member.key] = member.value }
    return claims
  }

  /// Returns the recipient, or the reason for the rejection.
  private func outcome(_ text: String, _ rules: WebTokenRules) -> String {
    guard let token = WebToken(text) else { return "no token" }
    do {
      return try rules.recipient(of: token, at: now)
    } catch {
      return error.description
    }
  }

  @Test(arguments: algorithms)
  func `a valid token yields its subject as the recipient`(algorithm: String) throws {
    #expect(outcome(try issuer.token(algorithm, claims: claims()), try rules()) == "u1")
  }

  @Test(arguments: algorithms)
  func `a token signed with another issuer's key is rejected`(algorithm: String) throws {
    let token = try Issuer().token(algorithm, claims: claims())
    #expect(outcome(token, try rules()).contains("signature does not match"))
  }

  @Test(arguments: algorithms)
  func `a token with a flipped bit is rejected`(algorithm: String) throws {
    let valid = Array(try issuer.token(algorithm, claims: claims()).utf8)
    let rules = try rules()
    let seed = UInt64.random(in: 0 ... .max)
    var generator = SplitMix64(seed: seed)
    for _ in 0..<200 {
      var bytes = valid
      let index = Int.random(in: 0..<bytes.count, using: &generator)
      bytes[index] ^= 1 << UInt8.random(in: 0..<7, using: &generator)
      let outcome = outcome(String(decoding: bytes, as: UTF8.self), rules)
      #expect(outcome != "u1", "byte \(index), seed \(seed)")
    }
  }

  @Test(arguments: ["none", "None", "", "HS384", "HS512", "RS512", "PS384", "ES384", "hs256"])
  func `an unsupported algorithm is rejected`(algorithm: String) throws {
    let token = try issuer.token(algorithm, claims: claims())
    #expect(
      outcome(token, try rules())
        == "the token's \"alg\" must be HS256, RS256, PS256, ES256 or EdDSA")
  }

  /// An attacker who knows a public key must not be able to use it as an HMAC secret.
  @Test func `a public key is not accepted as a secret`() throws {
    for kind in [PublicKey.Kind.rsa, .p256] {
      let text = try issuer.pem(kind)
      let rules = WebTokenRules(keys: try WebKey.keys(in: text, file: "key"))
      let forged = try Forger(secret: Array(text.utf8)).token(claims: claims())
      #expect(outcome(forged, rules).contains("no configured key matches"))
    }
  }

  @Test(arguments: algorithms)
  func `a signature of another algorithm than claimed is rejected`(claimed: String) throws {
    for algorithm in Self.algorithms where algorithm != claimed {
      let token = try issuer.token(
        algorithm, header: ["alg": .string(claimed)], claims: claims())
      #expect(outcome(token, try rules()).contains("signature does not match"))
    }
  }

  /// An RSA key in PEM names no padding, so it may be used with either padding.
  @Test func `a key in PEM verifies all algorithms of its type`() throws {
    let rsa = WebTokenRules(
      keys: try WebKey.keys(in: issuer.pem(.rsa), file: "key"))
    for algorithm in ["RS256", "PS256"] {
      #expect(outcome(try issuer.token(algorithm, claims: claims()), rsa) == "u1")
    }
    let edwards = WebTokenRules(keys: try WebKey.keys(in: issuer.pem(.ed25519), file: "key"))
    for name in ["EdDSA", "Ed25519"] {
      #expect(outcome(try issuer.token(name, claims: claims()), edwards) == "u1")
    }
  }

  @Test func `a token that names a key is verified with that key alone`() throws {
    let rules = WebTokenRules(
      keys: try WebKey.keys(in: issuer.keySet(identifiers: ["ES256": "k1"]), file: "keys"))
    let token = try issuer.token("ES256", header: ["kid": "k1"], claims: claims())
    #expect(outcome(token, rules) == "u1")
    let other = try issuer.token("ES256", header: ["kid": "k2"], claims: claims())
    #expect(outcome(other, rules).contains("no configured key matches"))
  }

  @Test func `expiry and start are checked with a minute of tolerance`() throws {
    let seconds = now.seconds
    let cases: [(JSONObject, String)] = [
      (["exp": .integer(seconds - 59)], "u1"), (["exp": .integer(seconds - 60)], "expired at"),
      (["exp": .null], "not a time"), (["exp": "soon"], "not a time"),
      (["exp": .integer(-1)], "not a time"), (["exp": .integer(.max)], "not a time"),
      (["exp": .number(Double(seconds) + 0.5)], "u1"), (["nbf": .integer(seconds + 60)], "u1"),
      (["nbf": .integer(seconds + 61)], "not valid before"), (["nbf": "x"], "not a time"),
    ]
    for (others, expected) in cases {
      let token = try issuer.token("HS256", claims: claims(others))
      #expect(outcome(token, try rules()).contains(expected))
    }
    let endless = try issuer.token("HS256", claims: ["sub": "u1"])
    #expect(outcome(endless, try rules()).contains("no \"exp\""))
  }

  @Test func `issuer and audience are checked if they are configured`() throws {
    let rules = try rules("https://id.example", "chimed")
    let cases: [(JSONObject, String)] = [
      (["iss": "https://id.example", "aud": "chimed"], "u1"),
      (["iss": "https://id.example", "aud": ["other", "chimed"]], "u1"),
      (["iss": "https://id.example", "aud": "other"], "\"aud\""),
      (["iss": "https://id.example"], "\"aud\""),
      (["iss": "https://id.example.org", "aud": "chimed"], "\"iss\""),
      (["aud": "chimed"], "\"iss\""),
    ]
    for (others, expected) in cases {
      let token = try issuer.token("ES256", claims: claims(others))
      #expect(outcome(token, rules).contains(expected))
    }
  }

  @Test func `a token without a valid recipient id is rejected`() throws {
    for subject in [JSONValue.null, "", "a\u{0}b", 7, .string(String(repeating: "a", count: 129))] {
      let token = try issuer.token("HS256", claims: claims(["sub": subject]))
      #expect(outcome(token, try rules()).contains("no \"sub\""))
    }
  }

  @Test func `a token with an unknown critical header is rejected`() throws {
    let token = try issuer.token("HS256", header: ["crit": ["b64"]], claims: claims())
    #expect(outcome(token, try rules()).contains("\"crit\""))
  }

  @Test func `a text of another form is not a token`() throws {
    let valid = try issuer.token("HS256", claims: claims())
    let twice = Base64URL.encoded(#"{"alg":"none","alg":"HS256"}"#.utf8)
    for wrong in ["", "..", "a.b", valid + ".", valid + "=", "\(twice).e30.", "e30.e30.e3"] {
      #expect(WebToken(wrong) == nil)
    }
  }

  @Test func `a printed token does not show its claims`() throws {
    let token = try #require(WebToken(try issuer.token("HS256", claims: claims())))
    var dumped = ""
    dump(token, to: &dumped)
    #expect(!"\(token)\([token])\(dumped)".contains("u1"))
  }
}

/// Signs tokens with arbitrary bytes as the secret.
private struct Forger {
  let secret: [UInt8]

  func token(claims: JSONObject) throws -> String {
    let signed = Issuer.encoded(["alg": "HS256"]) + "." + Issuer.encoded(claims)
    return signed + "."
      + Base64URL.encoded(MessageCode.code(of: Array(signed.utf8), key: Secret(secret)))
  }
}
