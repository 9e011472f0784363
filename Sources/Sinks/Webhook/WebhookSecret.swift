internal import Crypto
internal import Foundation
package import Systemd

/// A key to sign webhooks with (Standard Webhooks 1.0): "whsec_" and the base64 of 24 to 64 bytes.
package struct WebhookSecret: Sendable {
  private static let prefix = Array("whsec_".utf8)

  private let key: SymmetricKey

  /// Nil if it is none.
  package init?(_ secret: Secret) {
    let bytes = secret.withBytes { text -> Data? in
      guard text.starts(with: Self.prefix) else { return nil }
      return Data(base64Encoded: Data(text.dropFirst(Self.prefix.count)))
    }
    guard let bytes, (24...64).contains(bytes.count) else { return nil }
    key = SymmetricKey(data: bytes)
  }

  /// Reads a credential that holds one.
  package init(_ name: String, in credentials: Credentials) throws {
    guard let secret = WebhookSecret(try credentials.read(name)) else {
      throw Malformed(name: name)
    }
    self = secret
  }

  /// The signature of a message, as a header shows it.
  ///
  /// - Parameter seconds: since 1970, of the attempt.
  package func signature(of body: [UInt8], identifier: String, seconds: Int64) -> String {
    var code = HMAC<SHA256>(key: key)
    code.update(data: Array("\(identifier).\(seconds).".utf8))
    code.update(data: body)
    return "v1," + Data(code.finalize()).base64EncodedString()
  }

  /// A credential that holds something else.
  package struct Malformed: Error, CustomStringConvertible {
    let name: String

    package var description: String {
      "the credential \"\(name)\" holds no webhook secret, which is whsec_ and the base64 of 24 to "
        + "64 bytes; make one by: echo whsec_$(openssl rand -base64 32)"
    }
  }
}
