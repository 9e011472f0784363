import Access
import Cryptography
import JSON
import Testing

/// Keys are read from PEM and key sets; an error names the fault.
@Suite struct WebKeyTests {
  @Test func `a key set has a key for each algorithm`() throws {
    let keys = try WebKey.keys(in: Issuer().keySet(identifiers: ["RS256": "k"]), file: "keys")
    #expect(
      keys.map(\.algorithms) == [[.hmac], [.rsa], [.rsaPSS], [.edwardsCurve], [.ellipticCurve]])
    #expect(keys.map(\.identifier) == [nil, "k", nil, nil, nil])
  }

  @Test func `keys for other uses are skipped`() throws {
    let keys = """
      {"keys": [{"kty": "RSA", "use": "enc"}, {"kty": "OKP", "crv": "X25519"},
      {"kty": "EC", "crv": "P-384"}, {"kty": "oct", "key_ops": ["encrypt"]},
      {"kty": "oct", "alg": "HS256", "k": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}]}
      """
    #expect(try WebKey.keys(in: keys, file: "keys").map(\.algorithms) == [[.hmac]])
  }

  static let invalidFiles: [(text: String, error: String)] = [
    ("", "keys is neither PEM nor a JSON Web Key Set"), ("{}", "keys is not a JSON Web Key Set"),
    (#"{"keys": []}"#, "keys has no key that verifies HS256, RS256, PS256, ES256"),
    (
      #"{"keys": [{"kty": "oct", "kid": "a", "k": "AAAA"}]}"#,
      "keys has a key, a, that has a secret of 3 bytes; HS256 needs at least 32"
    ),
    (#"{"keys": [{"kty": "oct"}]}"#, "keys has a key, 0, that has no \"k\""),
    (
      #"{"keys": [{"kty": "RSA", "n": "AAAA", "e": "AQAB"}]}"#,
      "keys has a key, 0, that is not an RSA key of 2,048 to 16,384 bits with an odd exponent"
    ),
    (
      #"{"keys": [{"kty": "EC", "crv": "P-256", "x": "AAAA", "y": "AAAA"}]}"#,
      "keys has a key, 0, that is not a point of the curve P-256"
    ),
    (
      #"{"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "AAAA"}]}"#,
      "keys has a key, 0, that is not a point of the curve Ed25519"
    ),
    ("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----", "keys is neither an RSA key"),
  ]

  @Test(arguments: invalidFiles)
  func `an error names the file, the key and the fault`(text: String, error: String) {
    let thrown = #expect(throws: WebKeyFileError.self) { try WebKey.keys(in: text, file: "keys") }
    #expect(thrown?.description.hasPrefix(error) == true)
  }

  @Test func `an error does not contain the secret`() {
    let text = #"{"keys": [{"kty": "oct", "k": secretvalue}]}"#
    let thrown = #expect(throws: WebKeyFileError.self) { try WebKey.keys(in: text, file: "keys") }
    #expect(
      thrown?.description
        == "keys is neither PEM nor a JSON Web Key Set: it is not JSON at line 1")
  }

  @Test func `a private key is rejected`() throws {
    let text = try Issuer().privatePEM(.p256)
    let thrown = #expect(throws: WebKeyFileError.self) { try WebKey.keys(in: text, file: "keys") }
    #expect(thrown?.description.hasPrefix("keys is a private key; give the public key") == true)
  }

  @Test func `a public key is read from PEM`() throws {
    let issuer = try Issuer()
    let texts = [try issuer.pem(.rsa), try issuer.pem(.p256), try issuer.pem(.ed25519)]
    let algorithms = try texts.map { try WebKey.keys(in: $0, file: "keys").map(\.algorithms) }
    #expect(algorithms == [[[.rsa, .rsaPSS]], [[.ellipticCurve]], [[.edwardsCurve]]])
  }

  @Test func `a printed key does not show its secret`() throws {
    let secret = Array(repeating: UInt8(0xab), count: 32)
    let key = try WebKey(secret: secret)
    var dumped = ""
    dump(key, to: &dumped)
    #expect("\(key)" == "(a key for HS256)")
    #expect(!dumped.contains("171") && !dumped.contains("ab"))
  }
}
