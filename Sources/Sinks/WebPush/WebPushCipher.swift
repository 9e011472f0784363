internal import Crypto
internal import Foundation
internal import JSON
package import Reminders

/// Encrypts a message for a browser, so that the push service cannot read it (RFC 8291), as one
/// record of `aes128gcm` (RFC 8188).
package struct WebPushCipher: Sendable {
  /// The maximum size of a message in bytes: a record of 4,096 bytes, less header, tag and the
  /// final delimiter byte.
  package static let bytesMax = recordSize - headerSize - 17

  private static let recordSize = 4_096
  private static let headerSize = 16 + 4 + 1 + 65

  private let browserKey: P256.KeyAgreement.PublicKey
  private let browserSecret: Data

  /// Nil if the subscription's keys are invalid.
  package init?(_ subscription: WebPushSubscription) {
    guard let key = Base64URL.decodedLeniently(subscription.key),
      let secret = Base64URL.decodedLeniently(subscription.secret), secret.count == 16,
      let browserKey = try? P256.KeyAgreement.PublicKey(x963Representation: key)
    else { return nil }
    self.browserKey = browserKey
    browserSecret = Data(secret)
  }

  /// Returns a text encrypted with a new key and salt.
  ///
  /// - Parameter text: at most `bytesMax` bytes.
  /// - Throws: an error of the Crypto library.
  package func encrypt(_ text: [UInt8]) throws -> [UInt8] {
    let salt = SymmetricKey(size: .bits128).withUnsafeBytes { Data($0) }
    return try encrypt(text, with: P256.KeyAgreement.PrivateKey(), salt: salt)
  }

  /// Encrypts with a given key and salt, for the example of RFC 8291.
  ///
  /// - Parameter key: the 32 bytes of a private key of the curve P-256.
  package func encrypt(_ text: [UInt8], key: [UInt8], salt: [UInt8]) throws -> [UInt8] {
    try encrypt(
      text, with: P256.KeyAgreement.PrivateKey(rawRepresentation: key), salt: Data(salt))
  }

  private func encrypt(
    _ text: [UInt8], with ownKey: P256.KeyAgreement.PrivateKey, salt: Data
  ) throws -> [UInt8] {
    let ownPublicKey = ownKey.publicKey.x963Representation
    let shared = try ownKey.sharedSecretFromKeyAgreement(with: browserKey)
    // RFC 8291, section 3.4.
    let material = shared.hkdfDerivedSymmetricKey(
      using: SHA256.self, salt: browserSecret,
      sharedInfo: Data("WebPush: info\0".utf8) + browserKey.x963Representation + ownPublicKey,
      outputByteCount: 32)
    // RFC 8188, section 2.2 and 2.3.
    let key = Self.derived(material, salt, "Content-Encoding: aes128gcm\0", count: 16)
    let nonce = Self.derived(material, salt, "Content-Encoding: nonce\0", count: 12)
    let sealed = try AES.GCM.seal(
      text + [2], using: key,
      nonce: AES.GCM.Nonce(data: nonce.withUnsafeBytes { Data($0) }))
    let size = withUnsafeBytes(of: UInt32(Self.recordSize).bigEndian) { Array($0) }
    return Array(salt) + size + [UInt8(ownPublicKey.count)] + Array(ownPublicKey)
      + Array(sealed.ciphertext) + Array(sealed.tag)
  }

  private static func derived(
    _ material: SymmetricKey, _ salt: Data, _ info: String, count: Int
  ) -> SymmetricKey {
    HKDF<SHA256>.deriveKey(
      inputKeyMaterial: material, salt: salt, info: Data(info.utf8), outputByteCount: count)
  }
}
