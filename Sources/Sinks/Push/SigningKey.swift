package import Cryptography
package import JSON

/// A key that signs JSON Web Tokens (RFC 7515). The secret cannot be printed.
package struct SigningKey: Sendable {
  private let key: PrivateKey
  private let scheme: SignatureScheme
  /// The key identifier for the header `kid`; nil if the verifier needs none.
  private let identifier: String?

  /// Creates an RSA key, which signs with RS256; nil unless the PEM text contains an RSA key of
  /// 2,048 to 4,096 bits.
  package init?(rsa pem: Secret, identifier: String) {
    self.init(pem, signingBy: .rs256, identifier)
  }

  /// Creates a key of the curve P-256, which signs with ES256; nil unless the PEM text contains
  /// such a key.
  package init?(ellipticCurve pem: Secret, identifier: String) {
    self.init(pem, signingBy: .es256, identifier)
  }

  private init?(_ pem: Secret, signingBy scheme: SignatureScheme, _ identifier: String) {
    guard let key = PrivateKey(pem: pem), key.kind == scheme.kind else { return nil }
    self.init(key, signingBy: scheme, identifier: identifier)
  }

  init(_ key: PrivateKey, signingBy scheme: SignatureScheme, identifier: String? = nil) {
    (self.key, self.scheme, self.identifier) = (key, scheme, identifier)
  }

  /// Returns a signed token in the compact form.
  package func token(claims: JSONObject) throws -> Secret {
    var header: JSONObject = ["alg": .string(scheme.rawValue), "typ": "JWT"]
    if let identifier { header["kid"] = .string(identifier) }
    let signingInput = Self.encodedPart(header) + "." + Self.encodedPart(claims)
    guard let signature = key.signature(of: Array(signingInput.utf8), by: scheme) else {
      throw SigningError()
    }
    return Secret(signingInput + "." + Base64URL.encoded(signature))
  }

  private struct SigningError: Error, CustomStringConvertible {
    let description = "libcrypto cannot sign with this key"
  }

  private static func encodedPart(_ object: JSONObject) -> String {
    Base64URL.encoded(JSONWriter.compact(.object(object)))
  }
}

extension SigningKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "(a signing key)" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
