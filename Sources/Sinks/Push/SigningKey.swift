internal import Crypto
internal import CryptoExtras
internal import Foundation
package import JSON
package import Systemd

/// A key that signs JSON Web Tokens (RFC 7515); it cannot be printed.
package struct SigningKey: Sendable {
  private enum Material: Sendable {
    case rsa(_RSA.Signing.PrivateKey)
    case ellipticCurve(P256.Signing.PrivateKey)
  }

  private let material: Material
  /// The key identifier for the header `kid`; nil if the verifier needs none.
  private let identifier: String?

  /// Creates an RSA key, which signs with RS256; nil unless the PEM text is one of at least 2,048
  /// bits.
  package init?(rsa pem: String, identifier: String) {
    guard let key = try? _RSA.Signing.PrivateKey(pemRepresentation: pem) else { return nil }
    material = .rsa(key)
    self.identifier = identifier
  }

  /// Creates a key of the curve P-256, which signs with ES256; nil unless the PEM text is one.
  package init?(ellipticCurve pem: String, identifier: String) {
    guard let key = try? P256.Signing.PrivateKey(pemRepresentation: pem) else { return nil }
    material = .ellipticCurve(key)
    self.identifier = identifier
  }

  init(_ key: P256.Signing.PrivateKey) {
    material = .ellipticCurve(key)
    identifier = nil
  }

  /// Returns a signed token in the compact form.
  package func token(claims: JSONObject) throws -> Secret {
    var header: JSONObject = ["alg": .string(algorithm), "typ": "JWT"]
    if let identifier { header["kid"] = .string(identifier) }
    let signed = Self.part(header) + "." + Self.part(claims)
    return Secret(signed + "." + Base64URL.encoded(try signature(of: Data(signed.utf8))))
  }

  private var algorithm: String {
    switch material {
    case .rsa: "RS256"
    case .ellipticCurve: "ES256"
    }
  }

  private func signature(of data: Data) throws -> Data {
    switch material {
    case .rsa(let key):
      let hash = SHA256.hash(data: data)
      return try key.signature(for: hash, padding: .insecurePKCS1v1_5).rawRepresentation
    case .ellipticCurve(let key):
      return try key.signature(for: data).rawRepresentation
    }
  }

  private static func part(_ object: JSONObject) -> String {
    Base64URL.encoded(JSONWriter.compact(.object(object)))
  }
}

extension SigningKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "(a signing key)" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
