internal import COpenSSL

/// HMAC with SHA-256 (RFC 2104): a code of a message that only the owner of a key can compute.
package enum MessageCode {
  /// The length of a code in bytes.
  package static let byteCount = SHA256.byteCount

  package static func code(of message: [UInt8], key: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: byteCount) { code, count in
      guard let start = code.baseAddress,
        copenssl_hmac(key, key.count, message, message.count, start)
      else { preconditionFailure("libcrypto has no HMAC with SHA-256") }
      count = byteCount
    }
  }

  /// Whether a code is that of the message. Takes constant time for codes of the right length.
  package static func isValid(_ code: [UInt8], of message: [UInt8], key: [UInt8]) -> Bool {
    let expected = self.code(of: message, key: key)
    return code.count == expected.count
      && zip(code, expected).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }

  /// Derives a key from a secret (HKDF, RFC 5869).
  ///
  /// - Parameters:
  ///   - salt: empty for none.
  ///   - info: distinguishes the keys that are derived from one secret.
  ///   - count: the length of the key, at most 255 hashes.
  package static func derivedKey(
    from secret: [UInt8], salt: [UInt8] = [], info: [UInt8], count: Int
  ) -> [UInt8] {
    precondition(count <= 255 * byteCount, "HKDF derives at most 255 hashes")
    let extracted = code(of: secret, key: salt)
    var derived: [UInt8] = []
    var (block, number) = ([UInt8](), UInt8(0))
    while derived.count < count {
      number += 1
      block = code(of: block + info + [number], key: extracted)
      derived += block
    }
    return Array(derived.prefix(count))
  }
}
