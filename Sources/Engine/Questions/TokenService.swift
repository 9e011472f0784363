package import Access
package import CivilTime

/// The stored bearer tokens (rule H1).
package protocol TokenService: Sendable {
  /// The current record of a token; nil if there is none.
  func token(_ identifier: String) -> TokenRecord?

  /// Records the use of a token. The last use is written to the store once an hour, not each time.
  func recordUse(of identifier: String, at now: Instant)

  /// All tokens, the oldest first.
  var tokens: [TokenRecord] { get }

  /// Adds a token; returns when it is on disk.
  func add(_ token: TokenRecord) async throws(ServiceUnavailable)

  /// Revokes a token; returns when that is on disk. A token that is already revoked stays
  /// unchanged.
  ///
  /// - Returns: the token, or nil if there is none.
  func revoke(
    _ identifier: String, at now: Instant
  ) async throws(ServiceUnavailable) -> TokenRecord?
}

extension Engine: TokenService {
  package func token(_ identifier: String) -> TokenRecord? { tokenTable[identifier] }

  package func recordUse(of identifier: String, at now: Instant) {
    guard tokenTable.recordUse(of: identifier, at: now) else { return }
    requestQueue.post(.token(.use(identifier: identifier, now)) { _ in })
  }

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
