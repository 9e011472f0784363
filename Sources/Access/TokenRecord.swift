package import CivilTime

/// What is kept of a token. Its secret is not among it.
package struct TokenRecord: Hashable, Sendable {
  /// Whether a token holds at some instant.
  package enum Standing: Hashable, Sendable {
    case valid
    case expired(Instant)
    case revoked(Instant)
  }

  /// Its public part, by which it is found.
  package var identifier: String
  /// What its maker calls it; 1 to 100 characters.
  package var name: String
  package var scope: AccessScope
  /// SHA-256 of the secret. The secret is 260 random bits, so a slow hash would add nothing.
  package var digest: [UInt8]
  package var created: Instant
  /// When it ends; nil for one that has no end.
  package var expiry: Instant?
  package var revoked: Instant?

  package init(
    identifier: String, name: String, scope: AccessScope, digest: [UInt8], created: Instant,
    expiry: Instant? = nil, revoked: Instant? = nil
  ) {
    self.identifier = identifier
    self.name = name
    self.scope = scope
    self.digest = digest
    self.created = created
    self.expiry = expiry
    self.revoked = revoked
  }

  package func standing(at now: Instant) -> Standing {
    if let revoked { return .revoked(revoked) }
    if let expiry, expiry <= now { return .expired(expiry) }
    return .valid
  }
}
