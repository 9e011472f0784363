import Cryptography
import JSON

/// A key that verifies JSON Web Tokens. The allowed algorithms depend on the key, never on the
/// token's header, so that no token is verified by a wrong algorithm.
package struct WebKey: Sendable {
  package enum Algorithm: String, CaseIterable, Sendable {
    case hmac = "HS256"
    case rsa = "RS256"
    case rsaPSS = "PS256"
    case ellipticCurve = "ES256"
    /// EdDSA with the curve Ed25519 (RFC 8037, section 3.1).
    case edwardsCurve = "EdDSA"

    /// Reads the `alg` of a header or key. RFC 9864 adds the name "Ed25519" for EdDSA with that
    /// curve.
    init?(named name: String) {
      self.init(rawValue: name == "Ed25519" ? Self.edwardsCurve.rawValue : name)
    }

    /// The names of all algorithms: "HS256, RS256, PS256, ES256 or EdDSA".
    package static let list =
      allCases.dropLast().map(\.rawValue).joined(separator: ", ") + " or "
      + edwardsCurve.rawValue
  }

  private enum Material: Sendable {
    case secret(Secret)
    case key(PublicKey)
  }

  /// The key's `kid`; tokens refer to it.
  package let identifier: String?
  private let material: Material
  /// The only allowed algorithm, if the key set names one.
  var onlyAlgorithm: Algorithm?

  /// The algorithms that the kind of key allows: for RSA both paddings, unless `onlyAlgorithm` is
  /// given.
  package var algorithms: [Algorithm] {
    let kindAlgorithms: [Algorithm] =
      switch material {
      case .secret: [.hmac]
      case .key(let key):
        switch key.kind {
        case .rsa: [.rsa, .rsaPSS]
        case .p256: [.ellipticCurve]
        case .ed25519: [.edwardsCurve]
        }
      }
    return kindAlgorithms.filter { onlyAlgorithm == nil || onlyAlgorithm == $0 }
  }

  /// Whether a signature of the bytes by an algorithm is valid; false if the key does not allow the
  /// algorithm.
  func verifies(_ signature: [UInt8], of bytes: [UInt8], by algorithm: Algorithm) -> Bool {
    guard algorithms.contains(algorithm) else { return false }
    switch material {
    case .secret(let key): return MessageCode.isValid(signature, of: bytes, key: key)
    case .key(let key):
      guard let scheme = SignatureScheme(rawValue: algorithm.rawValue) else { return false }
      return key.verifies(signature, of: bytes, by: scheme)
    }
  }

  // MARK: - Reading

  /// Creates a key from a secret of at least 32 bytes, the length of the hash (RFC 7518, section
  /// 3.2).
  package init(secret: [UInt8], identifier: String? = nil) throws(WebKeyError) {
    guard secret.count >= 32 else {
      throw WebKeyError("has a secret of \(secret.count) bytes; HS256 needs at least 32")
    }
    material = .secret(Secret(secret))
    self.identifier = identifier
  }

  /// Creates an RSA key of 2,048 to 16,384 bits from its modulus and its odd exponent of at most 33
  /// bits.
  package init(
    modulus: [UInt8], exponent: [UInt8], identifier: String? = nil
  ) throws(WebKeyError) {
    guard let key = PublicKey(modulus: modulus, exponent: exponent) else {
      throw WebKeyError("is not an RSA key of 2,048 to 16,384 bits with an odd exponent")
    }
    material = .key(key)
    self.identifier = identifier
  }

  /// Creates a key from the coordinates of a point of the curve P-256.
  package init(x: [UInt8], y: [UInt8], identifier: String? = nil) throws(WebKeyError) {
    guard let key = PublicKey(p256: [4] + x + y) else {
      throw WebKeyError("is not a point of the curve P-256")
    }
    material = .key(key)
    self.identifier = identifier
  }

  /// Creates a key from a point of the curve Ed25519, 32 bytes.
  package init(ed25519 point: [UInt8], identifier: String? = nil) throws(WebKeyError) {
    guard let key = PublicKey(ed25519: point) else {
      throw WebKeyError("is not a point of the curve Ed25519")
    }
    material = .key(key)
    self.identifier = identifier
  }

  /// Creates a key from a public key in PEM: RSA, P-256 or Ed25519.
  package init(pem: String) throws(WebKeyError) {
    identifier = nil
    guard !pem.contains("PRIVATE KEY") else {
      throw WebKeyError("is a private key; give the public key instead")
    }
    guard let key = PublicKey(pem: pem) else {
      throw WebKeyError(
        "is neither an RSA key of 2,048 to 16,384 bits nor one of the curves P-256 and Ed25519")
    }
    material = .key(key)
  }
}

/// The reason why a key is invalid. The description completes a sentence that begins with the key's
/// name.
package struct WebKeyError: Error, Hashable, CustomStringConvertible {
  package let description: String

  init(_ description: String) {
    self.description = description
  }
}

extension WebKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String {
    "(a key for \(algorithms.map(\.rawValue).joined(separator: " and ")))"
  }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

extension WebKey {
  /// Reads a public key in PEM or a JSON Web Key Set (RFC 7517). Skips the keys of a set that have
  /// another use or an unsupported algorithm.
  ///
  /// - Parameter file: the name of the text in errors.
  package static func keys(in text: String, file: String) throws(WebKeyFileError) -> [WebKey] {
    if text.contains("-----BEGIN") {
      do {
        return [try WebKey(pem: text)]
      } catch {
        throw WebKeyFileError(file, "\(error)")
      }
    }
    return try keys(inSet: text, file: file)
  }

  private static func keys(inSet text: String, file: String) throws(WebKeyFileError) -> [WebKey] {
    let document: JSONValue
    do {
      document = try JSONParser.parse(text)
    } catch {
      // The parser's reason may quote the text, which may contain a secret.
      let location = error.line.map { " at line \($0)" } ?? ""
      throw WebKeyFileError(
        file, "is neither PEM nor a JSON Web Key Set: it is not JSON\(location)")
    }
    guard let values = document["keys"]?.arrayValue else {
      throw WebKeyFileError(file, "is not a JSON Web Key Set: it has no list \"keys\"")
    }
    var keys: [WebKey] = []
    for (index, value) in values.enumerated() {
      do {
        if let key = try WebKey(value) { keys.append(key) }
      } catch {
        let name = value["kid"]?.stringValue ?? "\(index)"
        throw WebKeyFileError(file, "has a key, \(name), that \(error)")
      }
    }
    guard !keys.isEmpty else {
      throw WebKeyFileError(file, "has no key that verifies \(WebKey.Algorithm.list)")
    }
    return keys
  }

  /// Returns nil if the key is not for verifying, or needs an algorithm that is not supported.
  private init?(_ value: JSONValue) throws(WebKeyError) {
    guard value["use"]?.stringValue ?? "sig" == "sig" else { return nil }
    if let uses = value["key_ops"]?.arrayValue, !uses.contains("verify") { return nil }
    let identifier = value["kid"]?.stringValue
    switch (value["kty"]?.stringValue, value["crv"]?.stringValue) {
    case ("oct", _):
      try self.init(secret: try Self.bytes(of: "k", in: value), identifier: identifier)
    case ("RSA", _):
      try self.init(
        modulus: try Self.bytes(of: "n", in: value), exponent: try Self.bytes(of: "e", in: value),
        identifier: identifier)
    case ("EC", "P-256"):
      try self.init(
        x: try Self.bytes(of: "x", in: value), y: try Self.bytes(of: "y", in: value),
        identifier: identifier)
    case ("OKP", "Ed25519"):
      try self.init(ed25519: try Self.bytes(of: "x", in: value), identifier: identifier)
    default: return nil
    }
    guard let algorithmName = value["alg"]?.stringValue else { return }
    guard let algorithm = Algorithm(named: algorithmName), algorithms.contains(algorithm) else {
      return nil
    }
    onlyAlgorithm = algorithm
  }

  private static func bytes(
    of member: String, in value: JSONValue
  ) throws(WebKeyError) -> [UInt8] {
    if let bytes = value[member]?.stringValue.flatMap({ Base64URL.decoded($0) }), !bytes.isEmpty {
      return bytes
    }
    throw WebKeyError("has no \"\(member)\" in base64url without padding")
  }
}

/// The reason why a key file cannot be read.
package struct WebKeyFileError: Error, Hashable, CustomStringConvertible {
  package let description: String

  package init(_ file: String, _ reason: String) {
    description = "\(file) \(reason)"
  }
}
