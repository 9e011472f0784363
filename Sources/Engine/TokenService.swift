package import Access
package import CivilTime

/// What is known of the tokens that let people in (rule H1).
package protocol TokenService: Sendable {
  /// The token of an identifier, as it is now.
  func token(_ identifier: String) -> TokenRecord?

  /// Every token, the oldest first.
  var tokens: [TokenRecord] { get }

  /// Adds a token; answers when it is on disk.
  func add(_ token: TokenRecord) async throws(ServiceUnavailable)

  /// Ends a token; answers when that is on disk, and from then on it lets nobody in. One that was
  /// revoked before stays as it is.
  ///
  /// - Returns: the token, or nil if there is none.
  func revoke(
    _ identifier: String, at now: Instant
  ) async throws(ServiceUnavailable) -> TokenRecord?
}

extension Engine: TokenService {
  package func token(_ identifier: String) -> TokenRecord? { tokenTable[identifier] }

  package var tokens: [TokenRecord] { tokenTable.all }

  package func add(_ token: TokenRecord) async throws(ServiceUnavailable) {
    _ = try await ask { .token(.add(token), $0) }
  }

  package func revoke(
    _ identifier: String, at now: Instant
  ) async throws(ServiceUnavailable) -> TokenRecord? {
    try await ask { .token(.revoke(identifier: identifier, now), $0) }
  }
}
