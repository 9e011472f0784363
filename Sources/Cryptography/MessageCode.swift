internal import COpenSSL

/// HMAC with SHA-256 (RFC 2104): a code of a message that only the owner of a key can compute.
package enum MessageCode {
  /// The length of a code in bytes.
  package static let byteCount = SHA256.byteCount

  package static func code(of message: [UInt8], key: SecretKey) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: byteCount) { code, count in
      let isDone = key.withBytes { key in
        guard let start = code.baseAddress else { return false }
        return copenssl_hmac(key.baseAddress, key.count, message, message.count, start)
      }
      guard isDone else { preconditionFailure("libcrypto cannot compute HMAC: memory is short") }
      count = byteCount
    }
  }

  /// Whether a code is that of the message. Takes constant time for codes of the right length.
  package static func isValid(_ code: [UInt8], of message: [UInt8], key: SecretKey) -> Bool {
    let expected = self.code(of: message, key: key)
    return code.count == expected.count
      && zip(code, expected).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}

extension SecretKey {
  /// Derives a key (HKDF with SHA-256, RFC 5869).
  ///
  /// - Parameters:
  ///   - salt: empty for none.
  ///   - info: distinguishes the keys that are derived from one secret.
  ///   - count: the length of the derived key in bytes, 1 to 255 hashes.
  package func derived(salt: [UInt8] = [], info: [UInt8], count: Int) -> SecretKey {
    let key = withBytes { secret in
      SecretKey(count: count) {
        copenssl_hkdf(
          secret.baseAddress, secret.count, salt, salt.count, info, info.count, $0, count)
      }
    }
    guard let key else { preconditionFailure("libcrypto cannot derive a key of \(count) bytes") }
    return key
  }
}
