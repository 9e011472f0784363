package import CivilTime
internal import Crypto
internal import Foundation
internal import JSON
package import Systemd

/// The key by which push services know who sends, and browsers whom they subscribed to (RFC 8292).
package struct VAPIDKey: Sendable {
  private let key: P256.Signing.PrivateKey
  private let subject: String

  /// How long a token holds; a day is the most that is taken.
  private static let life = TimeSpan.hours(12)

  /// - Parameters:
  ///   - secret: a key of the curve P-256, in PEM, or its 32 bytes in base64url.
  ///   - subject: how whoever runs a push service reaches us, by mailto: or https:.
  package init?(_ secret: Secret, subject: String) {
    let text = secret.reveal()
    let pem = try? P256.Signing.PrivateKey(pemRepresentation: text)
    let raw = Base64URL.data(text).flatMap { try? P256.Signing.PrivateKey(rawRepresentation: $0) }
    guard let key = pem ?? raw else { return nil }
    self.key = key
    self.subject = subject
  }

  /// What a page subscribes with (`applicationServerKey`), in base64url.
  package var publicKey: String { SigningKey.base64URL(key.publicKey.x963Representation) }

  /// The header `Authorization` for a push service (RFC 8292, section 3).
  ///
  /// - Parameter origin: the push service's, such as `https://push.example`.
  package func authorization(for origin: String, now: Instant) throws -> String {
    let header: JSONObject = ["typ": "JWT", "alg": "ES256"]
    let claims: JSONObject = [
      "aud": .string(origin), "exp": .integer((now + Self.life).seconds), "sub": .string(subject),
    ]
    let signed = Self.part(header) + "." + Self.part(claims)
    let signature = try key.signature(for: Data(signed.utf8)).rawRepresentation
    return "vapid t=\(signed).\(SigningKey.base64URL(signature)), k=\(publicKey)"
  }

  private static func part(_ object: JSONObject) -> String {
    SigningKey.base64URL(Data(JSONWriter.compact(.object(object))))
  }
}

extension VAPIDKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "(a VAPID key)" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
