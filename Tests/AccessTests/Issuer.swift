import Crypto
import CryptoExtras
import Foundation
import JSON

/// Issues valid and invalid web tokens, with its own keys.
struct Issuer {
  let secret = SymmetricKey(size: .bits256)
  let rsa: _RSA.Signing.PrivateKey
  let ellipticCurve = P256.Signing.PrivateKey()
  let edwardsCurve = Curve25519.Signing.PrivateKey()

  init() throws {
    rsa = try _RSA.Signing.PrivateKey(keySize: .bits2048)
  }

  func token(_ algorithm: String, header: JSONObject = [:], claims: JSONObject) throws -> String {
    var whole: JSONObject = ["alg": .string(algorithm)]
    for member in header { whole[member.key] = member.value }
    let signed = Self.encoded(whole) + "." + Self.encoded(claims)
    return signed + "." + Self.text(try signature(algorithm, Data(signed.utf8)))
  }

  private func signature(_ algorithm: String, _ bytes: Data) throws -> Data {
    switch algorithm {
    case "HS256": Data(HMAC<SHA256>.authenticationCode(for: bytes, using: secret))
    case "RS256":
      try rsa.signature(for: SHA256.hash(data: bytes), padding: .insecurePKCS1v1_5)
        .rawRepresentation
    case "PS256":
      try rsa.signature(for: SHA256.hash(data: bytes), padding: .PSS).rawRepresentation
    case "EdDSA", "Ed25519": try edwardsCurve.signature(for: bytes)
    case "ES256": try ellipticCurve.signature(for: bytes).rawRepresentation
    default: Data()
    }
  }

  /// Returns the public keys as a JSON Web Key Set, and the HMAC secret. The RSA key is listed once
  /// for each padding.
  func set(identifiers: [String: String] = [:]) throws -> String {
    let point = ellipticCurve.publicKey.rawRepresentation
    let primitives = try rsa.publicKey.getKeyPrimitives()
    let modulus: JSONObject = [
      "kty": "RSA", "use": "sig", "n": .string(Self.text(primitives.modulus)),
      "e": .string(Self.text(primitives.publicExponent)),
    ]
    let keys: [(String, JSONObject)] = [
      ("HS256", ["kty": "oct", "k": .string(Self.text(secret.withUnsafeBytes { Data($0) }))]),
      ("RS256", modulus), ("PS256", modulus),
      (
        "EdDSA",
        [
          "kty": "OKP", "crv": "Ed25519",
          "x": .string(Self.text(edwardsCurve.publicKey.rawRepresentation)),
        ]
      ),
      (
        "ES256",
        [
          "kty": "EC", "crv": "P-256", "x": .string(Self.text(point.prefix(32))),
          "y": .string(Self.text(point.suffix(32))),
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

  static func encoded(_ object: JSONObject) -> String {
    text(Data(JSONWriter.canonical(.object(object))))
  }

  static func text(_ bytes: Data) -> String {
    bytes.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
      .replacing("=", with: "")
  }
}
