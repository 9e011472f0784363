package import CivilTime
internal import JSON
package import Outbox
import Synchronization
package import Systemd

/// The token by which Apple knows who sends: signed once and used until it is nearly too old.
///
/// Apple takes a token for an hour and wants a new one no more often than every 20 minutes.
package final class ProviderTokens: Sendable {
  private struct Issue {
    let token: Secret
    let at: Instant
    var wasTaken = false
  }

  private let key: SigningKey
  private let team: String
  private let now: @Sendable () -> Instant
  private let issue = Mutex<Issue?>(nil)

  /// When a token is replaced without being asked to.
  private static let life = TimeSpan.minutes(45)
  private static let lifeMin = TimeSpan.minutes(20)

  package init(key: SigningKey, team: String, now: @escaping @Sendable () -> Instant) {
    self.key = key
    self.team = team
    self.now = now
  }

  package func token() throws(SinkOutage) -> Secret {
    let now = now()
    return try issue.withLock { issue throws(SinkOutage) in
      // Of a clock that was set, the old token would be from the future or too old.
      if let issue, issue.at <= now, now < issue.at + Self.life { return issue.token }
      return try sign(&issue, at: now)
    }
  }

  /// Another token than one that was refused; nil if there is no use in one: the refused one has
  /// never been taken and is new.
  package func token(insteadOf refused: Secret) throws(SinkOutage) -> Secret? {
    let now = now()
    return try issue.withLock { issue throws(SinkOutage) in
      guard let known = issue else { return try sign(&issue, at: now) }
      if known.token != refused { return known.token }
      guard known.wasTaken || known.at + Self.lifeMin <= now else { return nil }
      return try sign(&issue, at: now)
    }
  }

  /// Notes that Apple takes a token.
  package func wasTaken(_ token: Secret) {
    issue.withLock { issue in
      if let known = issue, !known.wasTaken, known.token == token { issue?.wasTaken = true }
    }
  }

  private func sign(_ issue: inout Issue?, at now: Instant) throws(SinkOutage) -> Secret {
    let claims: JSONObject = ["iss": .string(team), "iat": .integer(now.seconds)]
    guard let token = try? key.token(claims: claims) else {
      throw SinkOutage("the key for APNs does not sign")
    }
    issue = Issue(token: token, at: now)
    return token
  }
}
