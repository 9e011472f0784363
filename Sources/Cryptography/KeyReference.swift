internal import COpenSSL

/// A key of libcrypto. It never changes, so any thread may use it.
final class KeyReference: @unchecked Sendable {
  let pointer: OpaquePointer
  let kind: PublicKey.Kind

  /// Takes ownership of a key. Returns nil for no key, and for a key of an unsupported kind, which
  /// it frees.
  init?(_ pointer: OpaquePointer?) {
    guard let pointer else { return nil }
    self.pointer = pointer
    switch copenssl_key_kind(pointer) {
    case .other:
      copenssl_key_free(pointer)
      return nil
    case .RSA: kind = .rsa
    case .P256: kind = .p256
    case .ed25519: kind = .ed25519
    }
  }

  deinit { copenssl_key_free(pointer) }

  /// The public key of the curve P-256 as an uncompressed point of 65 bytes; empty for other kinds.
  var point: [UInt8] {
    guard kind == .p256 else { return [] }
    return [UInt8](unsafeUninitializedCapacity: Int(COPENSSL_POINT_SIZE)) { point, count in
      guard let start = point.baseAddress, copenssl_key_point(pointer, start) else { return }
      count = Int(COPENSSL_POINT_SIZE)
    }
  }

  /// Reads a key in PEM. Returns nil unless the text has exactly one key, of a supported kind and
  /// without a password.
  static func pem(_ text: UnsafeRawBufferPointer, isPrivate: Bool) -> KeyReference? {
    guard text.ranges(of: Array("-----BEGIN ".utf8)).count == 1 else { return nil }
    return KeyReference(copenssl_key_of_pem(text.baseAddress, text.count, isPrivate))
  }
}
