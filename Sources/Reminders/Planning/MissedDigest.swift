package import CivilTime

/// The silent digest of the push notifications that a recipient has missed (rule V17).
package struct MissedDigest {
  package let message: Message
  /// The latest expiry of the members.
  package let expiry: Instant
}
