package import Access
package import Engine
import Glibc
import HTTPTypes
import Synchronization

/// The access settings of the HTTP interface (rule H1).
package struct APIAccess: Sendable {
  /// The administrators among the callers of the Unix socket.
  package var local: LocalAuthority
  /// The service that stores tokens; nil if there are no tokens.
  package var tokens: (any TokenService)?
  /// The rules for verifying JSON Web Tokens; nil if none are accepted.
  package var webTokens: CurrentWebTokenRules?
  /// The key of links in notifications; nil if there are none.
  package var linkKey: CurrentLinkKey?
  /// The public key with which pages subscribe to web push.
  package var pushKey: CurrentPushKey
  /// The readers of the requests that delivery services send, such as reports about deliveries.
  package var serviceReaders: CurrentServiceReaders
  /// Host names that callers on this machine may use, in addition to `localhost`.
  package var hosts: [String]
  /// The origins of pages that may call the service with a recipient's token (rule H18).
  package var origins: [PageOrigin]
  /// The settings of the web console; nil disables the console.
  package var console: ConsoleSettings?
  /// The audit log of changes by administrators and support; nil if there is none.
  package var audit: (any AuditLog)?

  package init(
    local: LocalAuthority = .ofThisProcess, tokens: (any TokenService)? = nil,
    webTokens: CurrentWebTokenRules? = nil,
    linkKey: CurrentLinkKey? = nil, pushKey: CurrentPushKey = CurrentPushKey(),
    serviceReaders: CurrentServiceReaders = CurrentServiceReaders(),
    hosts: [String] = [], origins: [PageOrigin] = [],
    console: ConsoleSettings? = ConsoleSettings(),
    audit: (any AuditLog)? = nil
  ) {
    self.local = local
    self.tokens = tokens
    self.webTokens = webTokens
    self.linkKey = linkKey
    self.pushKey = pushKey
    self.serviceReaders = serviceReaders
    self.hosts = hosts
    self.origins = origins
    self.console = console
    self.audit = audit
  }
}

extension LocalAuthority {
  /// Accepts root, this process's user, and members of this process's group as administrators.
  package static var ofThisProcess: LocalAuthority {
    let group = getegid()
    let name = getgrgid(group).map { String(cString: $0.pointee.gr_name) }
    return LocalAuthority(user: geteuid(), group: group, groupName: name ?? String(group))
  }
}

/// Limits the request rate of each client, so that no client can exhaust the service.
final class RateLimiter: Sendable {
  private let limits: Mutex<RateLimits>
  private let clock: @Sendable () -> ContinuousClock.Instant

  convenience init(
    rate: Int, burst: Int, clock: @escaping @Sendable () -> ContinuousClock.Instant
  ) {
    self.init(RateLimits(rate: rate, burst: burst), clock: clock)
  }

  /// Creates a limiter of invalid tokens and tickets, by client address.
  static func ofFailures(
    _ limits: APILimits, clock: @escaping @Sendable () -> ContinuousClock.Instant
  ) -> RateLimiter {
    RateLimiter(rate: limits.failureRate, burst: limits.failureBurst, clock: clock)
  }

  init(_ limits: RateLimits, clock: @escaping @Sendable () -> ContinuousClock.Instant) {
    self.limits = Mutex(limits)
    self.clock = clock
  }

  /// Counts requests of a client.
  ///
  /// - Parameters:
  ///   - key: identifies the client.
  ///   - count: the number of requests to count at once.
  ///   - reason: the detail of a refusal, to which the seconds to wait are added.
  /// - Throws: a refusal beyond the client's limit; then nothing is counted.
  func admit(_ key: String, count: Int = 1, else reason: String) throws(Problem) {
    let now = clock()
    let wait = limits.withLock { $0.takeTokens(for: key, count: count, at: now) }
    guard let wait else { return }
    let seconds = max(1, wait.components.seconds + (wait.components.attoseconds > 0 ? 1 : 0))
    throw Problem(
      .tooManyRequests, "\(reason); wait \(seconds) s", headers: [.retryAfter: "\(seconds)"])
  }

  /// Removes admitted requests from the count, because the service did not carry them out.
  func refund(_ key: String, count: Int) {
    limits.withLock { $0.refund(count, to: key) }
  }
}
