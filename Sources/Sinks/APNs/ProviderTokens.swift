package import CivilTime
package import Cryptography
internal import JSON
package import Outbox
import Synchronization

/// The token that identifies the sender to Apple: signed once and reused until shortly before it
/// expires.
///
/// Apple accepts a token for one hour, and a new one at most every 20 minutes.
package final class ProviderTokens: Sendable {
  /// A signed token.
  private struct Issue {
    let token: Secret
    /// When the token was signed.
    let at: Instant
    /// Whether Apple has accepted the token.
    var wasAccepted = false
  }

  private let key: SigningKey
  private let team: String
  private let now: @Sendable () -> Instant
  /// The current token; nil before the first.
  private let issue = Mutex<Issue?>(nil)

  /// The age at which a token is replaced.
  private static let replacementAge = TimeSpan.minutes(45)
  /// The age below which a token is replaced only if Apple has accepted it.
  private static let replacementIntervalMin = TimeSpan.minutes(20)

  package init(key: SigningKey, team: String, now: @escaping @Sendable () -> Instant) {
    self.key = key
    self.team = team
    self.now = now
  }

  /// Returns the current token; signs a new one if there is none, or if it is too old.
  package func token() throws(SinkOutage) -> Secret {
    let now = now()
    return try issue.withLock { issue throws(SinkOutage) in
      // After a change of the clock, the token's time can be in the future or too long ago.
      if let issue, issue.at <= now, now < issue.at + Self.replacementAge { return issue.token }
      return try sign(&issue, at: now)
    }
  }

  /// Returns a token to use instead of the refused one; nil if another token would not help.
  /// Another token does not help if the refused token is new and Apple has never accepted it.
  package func token(insteadOf refused: Secret) throws(SinkOutage) -> Secret? {
    let now = now()
    return try issue.withLock { issue throws(SinkOutage) in
      guard let current = issue else { return try sign(&issue, at: now) }
      if current.token != refused { return current.token }
      guard current.wasAccepted || current.at + Self.replacementIntervalMin <= now else {
        return nil
      }
      return try sign(&issue, at: now)
    }
  }

  /// Records that Apple has accepted a token.
  package func recordAccepted(_ token: Secret) {
    issue.withLock { issue in
      if let current = issue, !current.wasAccepted, current.token == token {
        issue?.wasAccepted = true
      }
    }
  }

  private func sign(_ issue: inout Issue?, at now: Instant) throws(SinkOutage) -> Secret {
    let claims: JSONObject = ["iss": .string(team), "iat": .integer(now.seconds)]
    guard let token = try? key.token(claims: claims) else {
      throw SinkOutage("the APNs key cannot sign; give another .p8 file")
    }
    issue = Issue(token: token, at: now)
    return token
  }
}
