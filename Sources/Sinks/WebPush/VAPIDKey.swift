package import CivilTime
package import Cryptography
internal import JSON

/// The key that identifies the sender to push services and to subscribed browsers (RFC 8292).
package struct VAPIDKey: Sendable {
  /// The public key that a page subscribes with (`applicationServerKey`), in base64url.
  package let publicKey: String
  private let key: SigningKey
  /// A contact for operators of push services, as a mailto: or https: URL.
  private let subject: String

  /// How long a token is valid; push services allow at most 24 hours.
  private static let lifetime = TimeSpan.hours(12)

  /// - Parameters:
  ///   - secret: a key of the curve P-256, in PEM, or its 32 bytes in base64url.
  ///   - subject: a contact for operators of push services, as a mailto: or https: URL.
  package init?(_ secret: Secret, subject: String) {
    let raw = Base64URL.decodedLeniently(secret.reveal()).flatMap { PrivateKey(p256: $0) }
    guard let key = raw ?? PrivateKey(pem: secret), key.kind == .p256 else { return nil }
    publicKey = Base64URL.encoded(key.point)
    self.key = SigningKey(key, signingBy: .es256)
    self.subject = subject
  }

  /// Returns a signed token for a push service.
  ///
  /// - Parameter origin: the push service's origin, such as `https://push.example`.
  package func token(for origin: String, now: Instant) throws -> Secret {
    let claims: JSONObject = [
      "aud": .string(origin), "exp": .integer((now + Self.lifetime).seconds),
      "sub": .string(subject),
    ]
    return try key.token(claims: claims)
  }

  /// Returns the value of the header `Authorization` with a token (RFC 8292, section 3).
  package func authorization(_ token: Secret) -> String {
    "vapid t=\(token.reveal()), k=\(publicKey)"
  }
}

extension VAPIDKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "(a VAPID key)" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
