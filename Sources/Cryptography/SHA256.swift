internal import COpenSSL

/// The hash SHA-256 (FIPS 180-4).
package enum SHA256 {
  /// The length of a digest in bytes.
  static let byteCount = Int(COPENSSL_HASH_SIZE)

  package static func digest(_ bytes: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: byteCount) { digest, count in
      guard let start = digest.baseAddress, copenssl_sha256(bytes, bytes.count, start) else {
        preconditionFailure("libcrypto cannot compute SHA-256: memory is short")
      }
      count = byteCount
    }
  }
}
