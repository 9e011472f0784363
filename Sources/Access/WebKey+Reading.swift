import JSON

extension WebKey {
  /// The keys in a text: a public key in PEM, or a JSON Web Key Set (RFC 7517). Keys of a set that
  /// are for other uses or algorithms are passed over.
  ///
  /// - Parameter file: what to call the text in an error.
  package static func keys(in text: String, file: String) throws(WebKeyError) -> [WebKey] {
    if text.contains("-----BEGIN") {
      do {
        return [try WebKey(pem: text)]
      } catch {
        throw WebKeyError(file, "\(error)")
      }
    }
    return try keys(inSet: text, file: file)
  }

  private static func keys(inSet text: String, file: String) throws(WebKeyError) -> [WebKey] {
    let document: JSONValue
    do {
      document = try JSONParser.parse(text)
    } catch {
      // The reason may quote what stands there, which may be a secret.
      let place = error.line.map { " at line \($0)" } ?? ""
      throw WebKeyError(file, "is neither PEM nor a JSON Web Key Set: it is not JSON\(place)")
    }
    guard let values = document["keys"]?.arrayValue else {
      throw WebKeyError(file, "is no JSON Web Key Set: it has no list \"keys\"")
    }
    var keys: [WebKey] = []
    for (index, value) in values.enumerated() {
      do {
        if let key = try WebKey(value) { keys.append(key) }
      } catch {
        let name = value["kid"]?.stringValue ?? "\(index)"
        throw WebKeyError(file, "has a key, \(name), that \(error)")
      }
    }
    guard !keys.isEmpty else {
      throw WebKeyError(file, "has no key that verifies \(WebKey.Algorithm.list)")
    }
    return keys
  }

  /// Nil for one that is not for verifying, or not with an algorithm that is known here.
  private init?(_ value: JSONValue) throws(WebKeyFlaw) {
    guard value["use"]?.stringValue ?? "sig" == "sig" else { return nil }
    if let uses = value["key_ops"]?.arrayValue, !uses.contains("verify") { return nil }
    let identifier = value["kid"]?.stringValue
    switch (value["kty"]?.stringValue, value["crv"]?.stringValue) {
    case ("oct", _):
      try self.init(secret: try Self.bytes("k", value), identifier: identifier)
    case ("RSA", _):
      try self.init(
        modulus: try Self.bytes("n", value), exponent: try Self.bytes("e", value),
        identifier: identifier)
    case ("EC", "P-256"):
      try self.init(
        x: try Self.bytes("x", value), y: try Self.bytes("y", value), identifier: identifier)
    case ("OKP", "Ed25519"):
      try self.init(ed25519: try Self.bytes("x", value), identifier: identifier)
    default: return nil
    }
    guard let named = value["alg"]?.stringValue else { return }
    guard let algorithm = Algorithm(named: named), algorithms.contains(algorithm) else {
      return nil
    }
    only = algorithm
  }

  private static func bytes(_ name: String, _ value: JSONValue) throws(WebKeyFlaw) -> [UInt8] {
    if let bytes = value[name]?.stringValue.flatMap({ Base64URL.decoded($0) }), !bytes.isEmpty {
      return bytes
    }
    throw WebKeyFlaw("has no \"\(name)\" in base64url without padding")
  }
}

/// Why keys cannot be read.
package struct WebKeyError: Error, Hashable, CustomStringConvertible {
  package let description: String

  package init(_ file: String, _ reason: String) {
    description = "\(file) \(reason)"
  }
}
