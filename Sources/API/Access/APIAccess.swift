package import Access
package import Engine
import Glibc
import HTTPTypes
import Synchronization

/// Whom the interface serves (rule H1).
package struct APIAccess: Sendable {
  /// Who is an administrator over the Unix socket.
  package var local: LocalAuthority
  /// Who keeps the tokens; nil where nobody does.
  package var tokens: (any TokenService)?
  /// Which JSON Web Tokens hold; nil where none does.
  package var webTokens: CurrentWebTokenRules?
  /// What opens the links in e-mails; nil where none are sent.
  package var unsubscribeKey: CurrentUnsubscribeKey?
  /// Names under which the service answers on the loopback, beside `localhost`.
  package var hosts: [String]
  /// The console for people with a browser; nil where there is none.
  package var console: ConsoleSettings?
  /// Where it is kept what administrators and support have changed; nowhere, if nil.
  package var audit: (any AuditLog)?

  package init(
    local: LocalAuthority = .ofThisProcess, tokens: (any TokenService)? = nil,
    webTokens: CurrentWebTokenRules? = nil,
    unsubscribeKey: CurrentUnsubscribeKey? = nil, hosts: [String] = [],
    console: ConsoleSettings? = ConsoleSettings(),
    audit: (any AuditLog)? = nil
  ) {
    self.local = local
    self.tokens = tokens
    self.webTokens = webTokens
    self.unsubscribeKey = unsubscribeKey
    self.hosts = hosts
    self.console = console
    self.audit = audit
  }
}

extension LocalAuthority {
  /// Root, and the user and the group that this process runs as.
  package static var ofThisProcess: LocalAuthority {
    let group = getegid()
    let name = getgrgid(group).map { String(cString: $0.pointee.gr_name) }
    return LocalAuthority(user: geteuid(), group: group, groupName: name ?? String(group))
  }
}

/// Keeps each of many to a rate, so that none can exhaust the service for the others.
final class RateLimiter: Sendable {
  private let limits: Mutex<RateLimits>
  private let clock: @Sendable () -> ContinuousClock.Instant

  convenience init(
    rate: Int, burst: Int, clock: @escaping @Sendable () -> ContinuousClock.Instant
  ) {
    self.init(RateLimits(rate: rate, burst: burst), clock: clock)
  }

  init(_ limits: RateLimits, clock: @escaping @Sendable () -> ContinuousClock.Instant) {
    self.limits = Mutex(limits)
    self.clock = clock
  }

  /// - Parameters:
  ///   - key: who it is.
  ///   - count: how often they ask at once.
  ///   - reason: what they are told if they have to wait; how long is added.
  func admit(_ key: String, count: Int = 1, else reason: String) throws(Problem) {
    let now = clock()
    guard let wait = limits.withLock({ $0.wait(for: key, count: count, at: now) }) else { return }
    let seconds = max(1, wait.components.seconds + (wait.components.attoseconds > 0 ? 1 : 0))
    throw Problem(
      .tooManyRequests, "\(reason); wait \(seconds) s", headers: [.retryAfter: "\(seconds)"])
  }
}
