import Crypto
import CryptoExtras
import Foundation

/// A key that JSON Web Tokens are verified with. The kind of key decides the algorithm, whatever a
/// token says of itself, so none is verified with the wrong one.
package struct WebKey: Sendable {
  package enum Algorithm: String, Sendable {
    case hmac = "HS256"
    case rsa = "RS256"
    case ellipticCurve = "ES256"
  }

  private enum Material: Sendable {
    case secret(SymmetricKey)
    case rsa(_RSA.Signing.PublicKey)
    case ellipticCurve(P256.Signing.PublicKey)
  }

  /// The key's `kid`, by which a token names it.
  package let identifier: String?
  private let material: Material

  package var algorithm: Algorithm {
    switch material {
    case .secret: .hmac
    case .rsa: .rsa
    case .ellipticCurve: .ellipticCurve
    }
  }

  /// Whether a signature is that of the bytes.
  func verifies(_ signature: [UInt8], of bytes: [UInt8]) -> Bool {
    switch material {
    case .secret(let key):
      return HMAC<SHA256>.isValidAuthenticationCode(signature, authenticating: bytes, using: key)
    case .rsa(let key):
      let signature = _RSA.Signing.RSASignature(rawRepresentation: signature)
      return key.isValidSignature(
        signature, for: SHA256.hash(data: bytes), padding: .insecurePKCS1v1_5)
    case .ellipticCurve(let key):
      guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else {
        return false
      }
      return key.isValidSignature(signature, for: bytes)
    }
  }

  // MARK: - Reading

  /// Of at least 32 bytes, as many as the hash has (RFC 7518, section 3.2).
  package init(secret: [UInt8], identifier: String? = nil) throws(WebKeyFlaw) {
    guard secret.count >= 32 else {
      throw WebKeyFlaw("has a secret of \(secret.count) bytes; 32 are the least for HS256")
    }
    material = .secret(SymmetricKey(data: secret))
    self.identifier = identifier
  }

  /// An RSA key of at least 2,048 bits, by its modulus and exponent.
  package init(
    modulus: [UInt8], exponent: [UInt8], identifier: String? = nil
  ) throws(WebKeyFlaw) {
    do {
      material = .rsa(try _RSA.Signing.PublicKey(n: modulus, e: exponent))
    } catch {
      throw WebKeyFlaw("is not an RSA key of at least 2,048 bits")
    }
    self.identifier = identifier
  }

  /// A point of the curve P-256.
  package init(x: [UInt8], y: [UInt8], identifier: String? = nil) throws(WebKeyFlaw) {
    do {
      material = .ellipticCurve(try P256.Signing.PublicKey(rawRepresentation: x + y))
    } catch {
      throw WebKeyFlaw("is not a point of the curve P-256")
    }
    self.identifier = identifier
  }

  /// A public key, RSA or P-256, as PEM has it.
  package init(pem: String) throws(WebKeyFlaw) {
    identifier = nil
    guard !pem.contains("PRIVATE KEY") else {
      throw WebKeyFlaw("is a private key; give the public one, which is all that is needed")
    }
    if let key = try? P256.Signing.PublicKey(pemRepresentation: pem) {
      material = .ellipticCurve(key)
    } else if let key = try? _RSA.Signing.PublicKey(pemRepresentation: pem) {
      material = .rsa(key)
    } else {
      throw WebKeyFlaw("is neither an RSA key of at least 2,048 bits nor one of the curve P-256")
    }
  }
}

/// What is wrong with a key: the end of a sentence that begins with its name.
package struct WebKeyFlaw: Error, Hashable, CustomStringConvertible {
  package let description: String

  init(_ description: String) {
    self.description = description
  }
}

extension WebKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "(a key for \(algorithm.rawValue))" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
