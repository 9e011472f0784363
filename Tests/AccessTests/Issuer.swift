import Cryptography
import Foundation
import JSON
import TestSupport
import Testing

/// Issues valid and invalid web tokens, signed with keys that the program `openssl` creates.
struct Issuer {
  let secret = (0..<32).map { _ in UInt8.random(in: 0 ... .max) }
  private let directory: TemporaryDirectory
  private let keys: [PublicKey.Kind: PrivateKey]

  init() throws {
    directory = try TemporaryDirectory()
    try directory.run(
      """
      openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out rsa.key
      openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out p256.key
      openssl genpkey -algorithm ed25519 -out ed25519.key
      for kind in rsa p256 ed25519; do openssl pkey -in $kind.key -pubout -out $kind.pem; done
      openssl pkey -in ed25519.key -pubout -outform DER -out ed25519.der
      openssl rsa -in rsa.key -noout -modulus >modulus
      """)
    var keys: [PublicKey.Kind: PrivateKey] = [:]
    for kind in [PublicKey.Kind.rsa, .p256, .ed25519] {
      keys[kind] = PrivateKey(pem: Secret(try directory.text(of: "\(kind).key")))
    }
    self.keys = keys
  }

  /// Returns the public key in PEM.
  func pem(_ kind: PublicKey.Kind) throws -> String { try directory.text(of: "\(kind).pem") }

  /// Returns the private key in PEM.
  func privatePEM(_ kind: PublicKey.Kind) throws -> String {
    try directory.text(of: "\(kind).key")
  }

  /// Returns a signed token.
  ///
  /// - Parameter header: members of the token's header, which may replace `alg`.
  func token(_ algorithm: String, header: JSONObject = [:], claims: JSONObject) throws -> String {
    var fullHeader: JSONObject = ["alg": .string(algorithm)]
    for member in header { fullHeader[member.key] = member.value }
    let signedText = Self.encoded(fullHeader) + "." + Self.encoded(claims)
    return signedText + "." + Base64URL.encoded(try signature(algorithm, Array(signedText.utf8)))
  }

  private func signature(_ algorithm: String, _ bytes: [UInt8]) throws -> [UInt8] {
    if algorithm == "HS256" { return MessageCode.code(of: bytes, key: Secret(secret)) }
    let name = algorithm == "Ed25519" ? "EdDSA" : algorithm
    guard let scheme = SignatureScheme(rawValue: name) else { return [] }
    return try #require(keys[scheme.kind]?.signature(of: bytes, by: scheme))
  }

  /// Returns a JSON Web Key Set with the public keys and the HMAC secret. It lists the RSA key once
  /// for each padding.
  func keySet(identifiers: [String: String] = [:]) throws -> String {
    let point = try #require(keys[.p256]).point.dropFirst()
    let modulus: JSONObject = [
      "kty": "RSA", "use": "sig", "n": .string(Base64URL.encoded(try self.modulus)), "e": "AQAB",
    ]
    let edwards = try directory.content(of: "ed25519.der").suffix(32)
    let keys: [(String, JSONObject)] = [
      ("HS256", ["kty": "oct", "k": .string(Base64URL.encoded(secret))]),
      ("RS256", modulus), ("PS256", modulus),
      ("EdDSA", ["kty": "OKP", "crv": "Ed25519", "x": .string(Base64URL.encoded(edwards))]),
      (
        "ES256",
        [
          "kty": "EC", "crv": "P-256", "x": .string(Base64URL.encoded(point.prefix(32))),
          "y": .string(Base64URL.encoded(point.suffix(32))),
        ]
      ),
    ]
    let values = keys.map { name, key in
      var key = key
      key["alg"] = .string(name)
      if let identifier = identifiers[name] { key["kid"] = .string(identifier) }
      return JSONValue.object(key)
    }
    return String(
      decoding: JSONWriter.canonical(.object(["keys": .array(values)])), as: UTF8.self)
  }

  /// The modulus of the RSA key, from "Modulus=" and hexadecimal digits.
  private var modulus: [UInt8] {
    get throws {
      let digits = try directory.text(of: "modulus").dropFirst(8).compactMap(\.hexDigitValue)
      return stride(from: 0, to: digits.count, by: 2).map {
        UInt8(digits[$0] * 16 + digits[$0 + 1])
      }
    }
  }

  static func encoded(_ object: JSONObject) -> String {
    Base64URL.encoded(JSONWriter.canonical(.object(object)))
  }
}
