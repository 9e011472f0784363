internal import COpenSSL

/// A private key, for signatures and for key agreement (ECDH). Its description is a placeholder, so
/// logs cannot contain the key.
package struct PrivateKey: Sendable {
  private let reference: KeyReference

  private init?(_ reference: KeyReference?) {
    guard let reference else { return nil }
    self.reference = reference
  }

  package var kind: PublicKey.Kind { reference.kind }

  /// Reads a private key in PEM; nil if its kind is not supported, if it is encrypted, or if its
  /// parts do not belong together. An RSA key has at most 4,096 bits; checking it takes up to half
  /// a second.
  package init?(pem: Secret) {
    self.init(pem.withBytes { KeyReference.pem($0, isPrivate: true) })
  }

  /// Reads a private key of the curve P-256: 32 bytes.
  package init?(p256 scalar: [UInt8]) {
    guard scalar.count == Int(COPENSSL_SCALAR_SIZE) else { return nil }
    self.init(KeyReference(copenssl_key_of_scalar(scalar)))
  }

  /// Creates a random key of the curve P-256; nil if the system has no random bytes.
  package static func random() -> PrivateKey? {
    PrivateKey(KeyReference(copenssl_key_random()))
  }

  /// The public key of a key of the curve P-256 as an uncompressed point; empty for other kinds.
  package var point: [UInt8] { reference.point }

  /// Returns a signature of the bytes; nil if the scheme needs another kind of key.
  package func signature(of bytes: [UInt8], by scheme: SignatureScheme) -> [UInt8]? {
    guard scheme.kind == kind else { return nil }
    let signature = [UInt8](unsafeUninitializedCapacity: Int(COPENSSL_SIGNATURE_MAX)) {
      signature, count in
      guard let start = signature.baseAddress else { return }
      count = copenssl_key_sign(reference.pointer, scheme.scheme, bytes, bytes.count, start)
    }
    return signature.isEmpty ? nil : signature
  }

  /// Returns the secret of 32 bytes that only the owners of the two private keys can compute
  /// (ECDH). The result is nil unless both keys are of the curve P-256.
  package func secret(sharedWith other: PublicKey) -> Secret? {
    guard kind == .p256, other.kind == .p256 else { return nil }
    return Secret(count: Int(COPENSSL_SCALAR_SIZE)) {
      copenssl_key_agree(reference.pointer, other.reference.pointer, $0)
    }
  }
}

extension PrivateKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "(a private key)" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
