import JSON

/// A JSON Web Token as it came (RFC 7519, in the compact form of RFC 7515): nothing of it is
/// verified. It cannot be printed.
package struct WebToken: Sendable {
  let header: JSONObject
  let claims: JSONObject
  let signature: [UInt8]
  /// What the signature is of.
  let signed: [UInt8]

  /// The longest that is looked at, in bytes.
  private static let longest = 16_384

  /// Nil for what has another form.
  package init?(_ text: some StringProtocol) {
    guard text.utf8.count <= Self.longest else { return nil }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let header = Self.object(parts[0]),
      let claims = Self.object(parts[1]), let signature = Base64URL.decoded(parts[2])
    else { return nil }
    self.header = header
    self.claims = claims
    self.signature = signature
    signed = Array(text.utf8.prefix(parts[0].utf8.count + 1 + parts[1].utf8.count))
  }

  private static func object(_ part: some StringProtocol) -> JSONObject? {
    guard let bytes = Base64URL.decoded(part) else { return nil }
    return (try? JSONParser.parse(bytes))?.objectValue
  }
}

extension WebToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "(a web token)" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
