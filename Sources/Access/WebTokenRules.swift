package import CivilTime
import JSON

/// Verifies JSON Web Tokens (rule H1).
package struct WebTokenRules: Sendable {
  package var keys: [WebKey]
  /// The required `iss`; nil accepts any.
  package var issuer: String?
  /// The audience that `aud` must equal, or contain if `aud` is a list; nil accepts any.
  package var audience: String?

  /// The tolerated difference between the issuer's clock and this one.
  private static let leeway = TimeSpan.seconds(60)

  package init(keys: [WebKey], issuer: String? = nil, audience: String? = nil) {
    self.keys = keys
    self.issuer = issuer
    self.audience = audience
  }

  /// Verifies a token and returns its recipient, the `sub`.
  package func recipient(of token: WebToken, at now: Instant) throws(WebTokenError) -> String {
    try checkSignature(of: token)
    try checkTimes(of: token.claims, at: now)
    try checkParties(of: token.claims)
    guard let subject = token.claims["sub"]?.stringValue, AccessScope.isRecipient(subject) else {
      throw WebTokenError("the token has no \"sub\" that could be a recipient's id")
    }
    return subject
  }

  /// Checks the signature with each key that allows the token's `alg`. If the token has a `kid`,
  /// keys with another `kid` are skipped.
  private func checkSignature(of token: WebToken) throws(WebTokenError) {
    guard token.header["crit"] == nil else {
      throw WebTokenError("the token has critical headers (\"crit\"), which are not supported")
    }
    let algorithmName = token.header["alg"]?.stringValue
    guard let algorithm = algorithmName.flatMap({ WebKey.Algorithm(named: $0) }) else {
      throw WebTokenError("the token's \"alg\" must be \(WebKey.Algorithm.list)")
    }
    let keyName = token.header["kid"]?.stringValue
    let candidates = keys.filter { key in
      key.algorithms.contains(algorithm)
        && (keyName == nil || key.identifier == nil || key.identifier == keyName)
    }
    guard !candidates.isEmpty else {
      throw WebTokenError("no configured key matches the token's \"alg\" and \"kid\"")
    }
    let isSignatureValid = candidates.contains {
      $0.verifies(token.signature, of: token.signedBytes, by: algorithm)
    }
    guard isSignatureValid else {
      throw WebTokenError("the token's signature does not match any configured key")
    }
  }

  private func checkTimes(of claims: JSONObject, at now: Instant) throws(WebTokenError) {
    guard let expiry = try Self.instant("exp", claims) else {
      throw WebTokenError("the token has no \"exp\"; tokens must expire")
    }
    guard now < expiry + Self.leeway else {
      throw WebTokenError("the token expired at \(expiry); ask its issuer for a new one")
    }
    if let start = try Self.instant("nbf", claims), now < start - Self.leeway {
      throw WebTokenError("the token is not valid before \(start); it is now \(now)")
    }
  }

  private func checkParties(of claims: JSONObject) throws(WebTokenError) {
    if let issuer, claims["iss"]?.stringValue != issuer {
      throw WebTokenError("the token's \"iss\" is not the trusted issuer")
    }
    guard let audience else { return }
    let audiences = claims["aud"]?.arrayValue ?? [claims["aud"] ?? .null]
    guard audiences.contains(.string(audience)) else {
      throw WebTokenError("the token's \"aud\" does not name this service")
    }
  }

  /// Reads a claim that is a time in seconds, perhaps with a fraction (RFC 7519, section 2).
  private static func instant(
    _ name: String, _ claims: JSONObject
  ) throws(WebTokenError) -> Instant? {
    guard let value = claims[name] else { return nil }
    // The upper bound is the end of the year 9999.
    guard let seconds = value.numberValue, (0...253_402_300_799).contains(seconds) else {
      throw WebTokenError("the token's \"\(name)\" is not a time in seconds")
    }
    return Instant(milliseconds: Int64(seconds * 1_000))
  }
}

/// The reason why a token is invalid, in words for its bearer.
package struct WebTokenError: Error, Hashable, CustomStringConvertible {
  package let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// An unverified JSON Web Token (RFC 7519, in the compact form of RFC 7515). Printing one shows a
/// placeholder.
package struct WebToken: Sendable {
  let header: JSONObject
  let claims: JSONObject
  let signature: [UInt8]
  /// The bytes that the signature covers.
  let signedBytes: [UInt8]

  /// The maximum size of a token in bytes; longer texts are rejected without parsing.
  private static let sizeMax = 16_384

  /// Returns nil if the text is not in the compact form.
  package init?(_ text: some StringProtocol) {
    guard text.utf8.count <= Self.sizeMax else { return nil }
    let segments = text.split(separator: ".", omittingEmptySubsequences: false)
    guard segments.count == 3, let header = Self.object(segments[0]),
      let claims = Self.object(segments[1]), let signature = Base64URL.decoded(segments[2])
    else { return nil }
    self.header = header
    self.claims = claims
    self.signature = signature
    signedBytes = Array(text.utf8.prefix(segments[0].utf8.count + 1 + segments[1].utf8.count))
  }

  private static func object(_ segment: some StringProtocol) -> JSONObject? {
    guard let bytes = Base64URL.decoded(segment) else { return nil }
    return (try? JSONParser.parse(bytes))?.objectValue
  }
}

extension WebToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "(a web token)" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
