import Access
import CivilTime
import Engine
import Synchronization

/// A token service that keeps its tokens in memory.
final class FakeTokens: TokenService {
  let table = TokenTable()
  private let generator = Mutex(SystemRandomNumberGenerator())

  /// Makes a token, and returns its secret text.
  func make(
    _ scope: AccessScope, expiry: Instant? = nil, revoked: Instant? = nil
  ) -> String {
    let secret = generator.withLock { TokenSecret(using: &$0) }
    table.update([
      TokenRecord(
        identifier: secret.identifier, name: scope.text, scope: scope, digest: secret.digest,
        created: Fixtures.now - .hours(1), expiry: expiry, revoked: revoked)
    ])
    return secret.reveal()
  }

  func token(_ identifier: String) -> TokenRecord? { table[identifier] }

  func recordUse(of identifier: String, at now: Instant) {
    _ = table.recordUse(of: identifier, at: now)
  }

  var tokens: [TokenRecord] { table.all }

  func add(_ token: TokenRecord) async throws(ServiceUnavailable) { table.update([token]) }

  func revoke(
    _ identifier: String, at now: Instant
  ) async throws(ServiceUnavailable) -> TokenRecord? {
    guard var token = table[identifier] else { return nil }
    token.revoked = token.revoked ?? now
    table.update([token])
    return token
  }
}
