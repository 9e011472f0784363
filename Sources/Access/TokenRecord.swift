package import CivilTime

/// The stored record of a token, without its secret.
package struct TokenRecord: Hashable, Sendable {
  /// The state of a token at an instant.
  package enum Standing: Hashable, Sendable {
    case valid
    case expired(Instant)
    case revoked(Instant)
  }

  /// The token's public part, by which the record is found.
  package var identifier: String
  /// The name that the token's creator has chosen; 1 to 100 characters.
  package var name: String
  package var scope: AccessScope
  /// SHA-256 of the secret. The secret has 260 random bits, so a slow hash would not be safer.
  package var digest: [UInt8]
  package var created: Instant
  /// The instant at which the token expires; nil if it does not expire.
  package var expiry: Instant?
  /// The instant at which the token was revoked; nil if it was not.
  package var revoked: Instant?
  /// The last use; nil if the token was never used.
  package var lastUse: Instant?

  /// The lifetime of a token if none is requested.
  package static let defaultLifetime = TimeSpan.days(30)

  package init(
    identifier: String, name: String, scope: AccessScope, digest: [UInt8], created: Instant,
    expiry: Instant? = nil, revoked: Instant? = nil, lastUse: Instant? = nil
  ) {
    self.identifier = identifier
    self.name = name
    self.scope = scope
    self.digest = digest
    self.created = created
    self.expiry = expiry
    self.revoked = revoked
    self.lastUse = lastUse
  }

  package func standing(at now: Instant) -> Standing {
    if let revoked { return .revoked(revoked) }
    if let expiry, expiry <= now { return .expired(expiry) }
    return .valid
  }
}
