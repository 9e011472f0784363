internal import COpenSSL

/// A text encrypted with AES-GCM (NIST SP 800-38D). Only an owner of the key can read it, or change
/// it without detection.
package struct SealedText: Sendable {
  /// The length of a nonce in bytes.
  package static let nonceCount = Int(COPENSSL_NONCE_SIZE)
  /// The length of a tag in bytes.
  static let tagCount = Int(COPENSSL_TAG_SIZE)

  /// The nonce, of `nonceCount` bytes. A key must never encrypt two different texts with the same
  /// nonce.
  package let nonce: [UInt8]
  /// The encrypted text, followed by the tag of `tagCount` bytes.
  package let bytes: [UInt8]

  /// Encrypts a text.
  ///
  /// - Parameter key: 16 or 32 bytes.
  package init(sealing text: [UInt8], key: Secret, nonce: [UInt8]) {
    precondition(nonce.count == Self.nonceCount && [16, 32].contains(key.count))
    self.nonce = nonce
    let keyCount = key.count
    let size = text.count + Self.tagCount
    bytes = [UInt8](unsafeUninitializedCapacity: size) { bytes, count in
      let isDone = key.withBytes { key in
        guard let start = bytes.baseAddress, let key = key.bindMemory(to: UInt8.self).baseAddress
        else { return false }
        return copenssl_gcm_seal(key, keyCount, nonce, text, text.count, start)
      }
      guard isDone else { preconditionFailure("libcrypto cannot encrypt: memory is short") }
      count = size
    }
  }

  /// Reads a nonce, followed by the encrypted text. Returns nil if there are too few bytes.
  package init?(_ combined: [UInt8]) {
    guard combined.count >= Self.nonceCount + Self.tagCount else { return nil }
    nonce = Array(combined.prefix(Self.nonceCount))
    bytes = Array(combined.dropFirst(Self.nonceCount))
  }

  /// Returns the decrypted text; nil if it was not encrypted with this key, or was changed since.
  package func opened(key: Secret) -> [UInt8]? {
    let size = bytes.count - Self.tagCount
    // An empty buffer may have no address.
    var text = [UInt8](repeating: 0, count: max(1, size))
    let isDone = key.withBytes { key in
      guard let start = key.bindMemory(to: UInt8.self).baseAddress else { return false }
      return copenssl_gcm_open(start, key.count, nonce, bytes, size, &text)
    }
    guard isDone else { return nil }
    return Array(text.prefix(size))
  }
}
