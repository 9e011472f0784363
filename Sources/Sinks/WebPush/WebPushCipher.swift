internal import Cryptography
internal import JSON
package import Reminders

/// Encrypts a message for a browser, so that the push service cannot read it (RFC 8291), as one
/// record of `aes128gcm` (RFC 8188).
package struct WebPushCipher: Sendable {
  /// The maximum size of a message in bytes: the size of a record, 4,096, minus the header, the tag
  /// and the final delimiter byte.
  package static let bytesMax = recordSize - headerSize - 17

  private static let recordSize = 4_096
  /// The size of the salt, the record size, the length of the key, and the key.
  private static let headerSize = 16 + 4 + 1 + 65

  private let browserKey: PublicKey
  /// The authentication secret of the subscription, 16 bytes.
  private let browserSecret: [UInt8]

  /// Creates a cipher for a subscription; nil if the subscription's keys are invalid.
  package init?(_ subscription: WebPushSubscription) {
    guard let key = Base64URL.decodedLeniently(subscription.key),
      let secret = Base64URL.decodedLeniently(subscription.secret), secret.count == 16,
      let browserKey = PublicKey(p256: key)
    else { return nil }
    self.browserKey = browserKey
    browserSecret = secret
  }

  /// Returns a text encrypted with a new key and salt.
  ///
  /// - Parameter text: at most `bytesMax` bytes.
  /// - Returns: nil if the system has no random bytes, or the keys cannot agree on a secret.
  package func encrypt(_ text: [UInt8]) -> [UInt8]? {
    var generator = SystemRandomNumberGenerator()
    let salt = (0..<16).map { _ in UInt8.random(in: 0 ... .max, using: &generator) }
    return PrivateKey.random().flatMap { encrypt(text, with: $0, salt: salt) }
  }

  /// Encrypts with a given key and salt, for the example of RFC 8291.
  ///
  /// - Parameter key: the 32 bytes of a private key of the curve P-256.
  package func encrypt(_ text: [UInt8], key: [UInt8], salt: [UInt8]) -> [UInt8]? {
    PrivateKey(p256: key).flatMap { encrypt(text, with: $0, salt: salt) }
  }

  private func encrypt(_ text: [UInt8], with ownKey: PrivateKey, salt: [UInt8]) -> [UInt8]? {
    guard let shared = ownKey.secret(sharedWith: browserKey) else { return nil }
    let ownPoint = ownKey.point
    // RFC 8291, section 3.4.
    let material = shared.derived(
      salt: browserSecret, info: Array("WebPush: info\0".utf8) + browserKey.point + ownPoint,
      count: 32)
    // RFC 8188, section 2.2 and 2.3.
    func derived(_ info: String, count: Int) -> Secret {
      material.derived(salt: salt, info: Array(info.utf8), count: count)
    }
    let key = derived("Content-Encoding: aes128gcm\0", count: 16)
    let nonce = derived("Content-Encoding: nonce\0", count: SealedText.nonceCount)
    let sealed = SealedText(sealing: text + [2], key: key, nonce: nonce.withBytes(Array.init))
    let size = withUnsafeBytes(of: UInt32(Self.recordSize).bigEndian) { Array($0) }
    return salt + size + [UInt8(ownPoint.count)] + ownPoint + sealed.bytes
  }
}
