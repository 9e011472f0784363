internal import COpenSSL

/// A signature algorithm, by its name in JSON Web Tokens (RFC 7518; RFC 8037 for EdDSA).
package enum SignatureScheme: String, CaseIterable, Sendable {
  case rs256 = "RS256"
  case ps256 = "PS256"
  case es256 = "ES256"
  /// EdDSA with the curve Ed25519.
  case edDSA = "EdDSA"

  /// The kind of key that the scheme needs.
  package var kind: PublicKey.Kind {
    switch self {
    case .rs256, .ps256: .rsa
    case .es256: .p256
    case .edDSA: .ed25519
    }
  }

  var scheme: COpenSSLScheme {
    switch self {
    case .rs256: .RS256
    case .ps256: .PS256
    case .es256: .ES256
    case .edDSA: .edDSA
    }
  }
}
