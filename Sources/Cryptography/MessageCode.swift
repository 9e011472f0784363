internal import COpenSSL

/// HMAC (RFC 2104) with SHA-256 or SHA-1: a code for a message, which only an owner of the key can
/// compute.
package enum MessageCode {
  /// The length in bytes of a code with SHA-256.
  static let byteCount = SHA256.byteCount

  /// Returns the HMAC with SHA-256.
  package static func code(of message: [UInt8], key: Secret) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: byteCount) { code, count in
      let isDone = key.withBytes { key in
        guard let start = code.baseAddress else { return false }
        return copenssl_hmac(key.baseAddress, key.count, message, message.count, start)
      }
      guard isDone else { preconditionFailure("libcrypto cannot compute HMAC: memory is short") }
      count = byteCount
    }
  }

  /// Returns the HMAC with SHA-1, for services whose signatures support no stronger hash.
  package static func sha1Code(of message: [UInt8], key: Secret) -> [UInt8] {
    let byteCount = Int(COPENSSL_SHA1_SIZE)
    return [UInt8](unsafeUninitializedCapacity: byteCount) { code, count in
      let isDone = key.withBytes { key in
        guard let start = code.baseAddress else { return false }
        return copenssl_hmac_sha1(key.baseAddress, key.count, message, message.count, start)
      }
      guard isDone else { preconditionFailure("libcrypto cannot compute HMAC: memory is short") }
      count = byteCount
    }
  }

  /// Returns whether a code is the HMAC with SHA-256 of the message.
  package static func isValid(_ code: [UInt8], of message: [UInt8], key: Secret) -> Bool {
    ConstantTime.areEqual(code, self.code(of: message, key: key))
  }
}
