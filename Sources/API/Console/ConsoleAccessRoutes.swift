import Access
package import CivilTime
import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import Reminders
import Synchronization

/// Opens the console: an administrator on the service's machine gets a ticket, and the browser
/// exchanges it for a token (rules H1, H10).
struct ConsoleAccessRoutes: Sendable {
  let tokens: any TokenService
  let settings: ConsoleSettings
  /// The unused tickets.
  let store: TicketStore
  /// The addresses on which the service listens, for the URL of a ticket.
  let addresses: ListeningAddresses
  let limits: APILimits
  /// Limits the rate of invalid tickets by client address.
  let failures: RateLimiter
  let audit: (any AuditLog)?
  let now: @Sendable () -> Instant

  private static let sessionPath = "/v1/console/session"
  /// The maximum size of a body with a ticket, in bytes. The maximum is small because these callers
  /// are not authenticated yet.
  private static let bodyMax = 4_096
  /// The lifetime of a session's token.
  private static let sessionLifetime = TimeSpan.hours(12)

  var routes: [Route] {
    [
      Route(.post, "/v1/console/tickets", .createConsoleTicket, answer: .administrator(issue)),
      Route(.post, Self.sessionPath, .openConsole, answer: .everyone(open)),
      Route(.get, Self.sessionPath, .consoleSession, answer: .caller(show)),
      Route(.delete, Self.sessionPath, .closeConsole, answer: .caller(close)),
    ]
  }

  // MARK: - Tickets

  private func issue(_ call: Call) async throws -> Response {
    guard let caller = call.caller, caller.isLocal else {
      throw Problem(
        .forbidden,
        "tickets are issued only over the Unix socket, where the system names the caller; run "
          + "chimectl console on the service's own machine")
    }
    let body = try await call.body(ConsoleTicketBody.self, within: limits)
    let scope = try body.scope ?? .administrator
    guard let secret = store.issue(for: .init(scope: scope, grantor: caller.name), to: caller)
    else {
      throw Problem(tooManyTickets: OneTimeTickets.lifetime)
    }
    call.audit.setSubject(scope.text)
    let path = ConsoleRoutes.path(for: scope, with: secret)
    let expiry = now() + OneTimeTickets.lifetime
    var response = Response(
      ConsoleTicketPayload.self,
      ConsoleTicketPayload.Value(
        scope: scope, expiry: expiry, path: path, origin: addresses.origin),
      status: .created)
    response.headers[.cacheControl] = "no-store"
    return response
  }

  // MARK: - Sessions

  private func open(_ call: Call) async throws -> Response {
    let grant: OneTimeTickets.Grant
    do {
      grant = try await self.grant(call)
    } catch {
      // Only requests without a valid ticket count towards the limit of failures from an address.
      // The limit never refuses a valid ticket.
      if case .network(_, let peer) = call.scope.origin {
        try failures.admit(peer, else: "too many invalid tickets came from your address")
      }
      throw error
    }
    var generator = SystemRandomNumberGenerator()
    let secret = TokenSecret(using: &generator)
    let now = now()
    let record = TokenRecord(
      identifier: secret.identifier, name: "console of \(grant.grantor)", scope: grant.scope,
      digest: secret.digest, created: now, expiry: now + Self.sessionLifetime)
    do {
      try await tokens.add(record)
    } catch {
      throw Problem(error)
    }
    audit?.record(
      AuditEntry(
        actor: grant.grantor, action: Operation.openConsole.identifier,
        subject: "\(record.identifier), \(record.scope.text)"))
    var response = Response(
      TokenPayload.self, TokenPayload.Value(record: record, now: now, secret: secret),
      status: .created)
    response.headers[.cacheControl] = "no-store"
    return response
  }

  private func grant(_ call: Call) async throws(Problem) -> OneTimeTickets.Grant {
    var limits = limits
    limits.body = Self.bodyMax
    let body = try await call.body(ConsoleSessionBody.self, within: limits)
    if let ticket = TokenSecret(try body.ticket), let grant = store.redeem(ticket) { return grant }
    throw Problem(
      .unknownToken,
      "the ticket has been used or is older than a minute; run chimectl console for a new one")
  }

  private func show(_ call: Call, _ caller: Caller) async throws -> Response {
    Response(
      SessionPayload.self, SessionPayload.Value(caller: caller, settings: settings, now: now()))
  }

  /// Revokes the token of the request.
  private func close(_ call: Call, _ caller: Caller) async throws -> Response {
    let prefix = "token:"
    guard let bearer = caller.bearer, bearer.hasPrefix(prefix) else {
      throw Problem(.unknownToken, "the request has no token that can be revoked here")
    }
    do {
      _ = try await tokens.revoke(String(bearer.dropFirst(prefix.count)), at: now())
    } catch {
      throw Problem(error)
    }
    return Response(status: .noContent)
  }
}

struct ConsoleTicketBody: RequestPayload {
  static let shape = BodyShape(Self())

  let scope = Member("scope", optional: .sessionScope, "Default: admin")
}

struct ConsoleSessionBody: RequestPayload {
  static let shape = BodyShape(Self())

  let ticket = Member("ticket", .text)
}

package struct ConsoleTicketPayload: Payload {
  package struct Value {
    let scope: AccessScope
    let expiry: Instant
    /// The console's path with the ticket.
    let path: String
    /// The service's origin for a browser on the service's machine; nil if a browser cannot
    /// connect.
    let origin: String?
  }

  package static let shape = PayloadShape(Self())

  package let scope = Member("scope", .scope) { $0.scope.text }
  package let expires = Member("expires", .instant) { $0.expiry }
  package let path = Member("path", .text.example("/console/#t=chimed_...")) { $0.path }
  package let url = Member(
    "url", orNull: .text,
    "For a browser on the service's machine; null if the service does not listen on TCP"
  ) { ticket in ticket.origin.map { $0 + ticket.path } }
}

struct SessionPayload: Payload {
  struct Value {
    let caller: Caller
    let settings: ConsoleSettings
    let now: Instant
  }

  static let shape = PayloadShape(Self())

  let scope = Member("scope", .scope) { $0.caller.scope.text }
  let recipient = Member("recipient", orNull: .recipient) { $0.caller.scope.recipient }
  let name = Member("name", .text) { $0.caller.name }
  let version = Member("version", .text) { _ in Version.current }
  let now = Member("now", .instant) { $0.now }
  let images = Member("images", .list(.text), "Hosts from which the console may load pictures") {
    $0.settings.images.map(\.description)
  }
}

extension ValueKind where Written == String, Read == String {
  fileprivate static var scope: Self {
    .text.example("support")
      .described("admin, support, observer, or recipient: followed by a recipient's id")
  }
}

/// Issues and redeems tickets; safe for concurrent use.
final class TicketStore: Sendable {
  private let tickets = Mutex(OneTimeTickets())
  private let clock: @Sendable () -> ContinuousClock.Instant

  init(clock: @escaping @Sendable () -> ContinuousClock.Instant) {
    self.clock = clock
  }

  /// Returns a new ticket; nil if there are too many unused tickets, of the caller or of all
  /// callers.
  func issue(for grant: OneTimeTickets.Grant, to caller: Caller) -> TokenSecret? {
    var generator = SystemRandomNumberGenerator()
    let secret = TokenSecret(using: &generator)
    let now = clock()
    let principal = caller.bearer ?? caller.name
    return tickets.withLock { $0.issue(secret, for: grant, to: principal, at: now) }
  }

  /// Returns a ticket's grant without redeeming the ticket; nil if the ticket is not valid.
  func grant(of ticket: TokenSecret) -> OneTimeTickets.Grant? {
    let now = clock()
    return tickets.withLock { $0.grant(of: ticket, at: now) }
  }

  /// Uses a ticket up, and returns its grant; nil if the ticket is not valid.
  func redeem(_ ticket: TokenSecret) -> OneTimeTickets.Grant? {
    let now = clock()
    return tickets.withLock { $0.redeem(ticket, at: now) }
  }
}

/// The addresses on which the service listens; empty before it listens.
final class ListeningAddresses: Sendable {
  private let addresses = Mutex<[String]>([])

  func set(_ addresses: [String]) { self.addresses.withLock { $0 = addresses } }

  /// The service's origin for a browser on the same machine; nil if it listens only on its Unix
  /// socket.
  var origin: String? {
    // The socket's path may be relative and look like an address.
    addresses.withLock { $0.first { TCPAddress($0)?.description == $0 } }
      .map { "http://" + Self.reachable($0) }
  }

  /// Replaces the wildcard address, to which a browser cannot connect, with the loopback address.
  static func reachable(_ address: String) -> String {
    for (wildcard, loopback) in [("0.0.0.0:", "127.0.0.1:"), ("[::]:", "[::1]:")]
    where address.hasPrefix(wildcard) {
      return loopback + address.dropFirst(wildcard.count)
    }
    return address
  }
}
