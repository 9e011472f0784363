internal import COpenSSL

/// A public key, for verifying signatures and for key agreement.
package struct PublicKey: Sendable {
  package enum Kind: Sendable {
    /// RSA with 2,048 to 16,384 bits. A public key may be limited to PS256 (RFC 4055).
    case rsa
    /// The elliptic curve P-256 (FIPS 186-5).
    case p256
    /// The Edwards curve Ed25519 (RFC 8032).
    case ed25519
  }

  let reference: KeyReference

  private init?(_ reference: KeyReference?) {
    guard let reference else { return nil }
    self.reference = reference
  }

  package var kind: Kind { reference.kind }

  /// Reads a public key in PEM; nil if its kind is not supported.
  package init?(pem: String) {
    self.init(Array(pem.utf8).withUnsafeBytes { KeyReference.pem($0, isPrivate: false) })
  }

  /// Reads an RSA key; nil unless it has 2,048 to 16,384 bits, and an odd exponent of at most 33
  /// bits.
  package init?(modulus: [UInt8], exponent: [UInt8]) {
    self.init(KeyReference(copenssl_key_of_rsa(modulus, modulus.count, exponent, exponent.count)))
  }

  /// Reads an uncompressed point of the curve P-256: 65 bytes, of which the first is 4.
  package init?(p256 point: [UInt8]) {
    guard point.count == Int(COPENSSL_POINT_SIZE) else { return nil }
    self.init(KeyReference(copenssl_key_of_point(point)))
  }

  /// Reads a public key of the curve Ed25519: 32 bytes.
  package init?(ed25519 point: [UInt8]) {
    guard point.count == Int(COPENSSL_ED25519_SIZE) else { return nil }
    self.init(KeyReference(copenssl_key_of_ed25519(point)))
  }

  /// The uncompressed point of a key of the curve P-256; empty for other kinds.
  package var point: [UInt8] { reference.point }

  /// Returns whether a signature of the bytes is valid; false if the scheme needs another kind of
  /// key.
  package func verifies(
    _ signature: [UInt8], of bytes: [UInt8], by scheme: SignatureScheme
  ) -> Bool {
    scheme.kind == kind
      && copenssl_key_verify(
        reference.pointer, scheme.scheme, bytes, bytes.count, signature, signature.count)
  }
}
