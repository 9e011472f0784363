internal import COpenSSL

/// A key of libcrypto. It never changes, so any thread may use it.
final class KeyReference: @unchecked Sendable {
  let pointer: OpaquePointer

  /// Nil unless there is a key of one of the kinds.
  init?(_ pointer: OpaquePointer?) {
    guard let pointer else { return nil }
    self.pointer = pointer
    guard kind != nil else { return nil }
  }

  deinit { copenssl_key_free(pointer) }

  var kind: PublicKey.Kind? {
    switch copenssl_key_kind(pointer) {
    case .other: nil
    case .RSA: .rsa
    case .P256: .p256
    case .ed25519: .ed25519
    }
  }

  /// The public key of the curve P-256 as an uncompressed point of 65 bytes.
  var point: [UInt8] {
    [UInt8](unsafeUninitializedCapacity: Int(COPENSSL_POINT_SIZE)) { point, count in
      guard let start = point.baseAddress, copenssl_key_point(pointer, start) else { return }
      count = Int(COPENSSL_POINT_SIZE)
    }
  }

  /// Reads a key in PEM; nil if there is none or more than one, or a password is needed.
  static func pem(_ text: String, isPrivate: Bool) -> KeyReference? {
    guard text.ranges(of: "-----BEGIN ").count == 1 else { return nil }
    let bytes = Array(text.utf8)
    return KeyReference(copenssl_key_of_pem(bytes, bytes.count, isPrivate))
  }
}
