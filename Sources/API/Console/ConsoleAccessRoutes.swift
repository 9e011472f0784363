import Access
import CivilTime
import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import NIOCore
import Synchronization

/// Lets people into the console: an administrator at the service's own machine has a ticket, the
/// browser exchanges it for a token (rules H1, H5).
struct ConsoleAccessRoutes: Sendable {
  let tokens: any TokenService
  let settings: ConsoleSettings
  let desk: TicketDesk
  let places: ListeningPlaces
  let limits: APILimits
  let limiter: RateLimiter
  let audit: (any AuditLog)?
  let now: @Sendable () -> Instant

  private static let session = "/v1/console/session"
  /// How long a browser stays let in.
  private static let sessionSpan = TimeSpan.hours(12)

  var routes: [Route] {
    [
      Route(.post, "/v1/console/tickets", .createConsoleTicket, answer: .administrator(issue)),
      Route(.post, Self.session, .openConsole, answer: .everyone(open)),
      Route(.get, Self.session, .consoleSession, answer: .caller(show)),
      Route(.delete, Self.session, .closeConsole, answer: .caller(close)),
    ]
  }

  // MARK: - Tickets

  private func issue(_ call: Call) async throws -> Response {
    guard let caller = call.caller, caller.isLocal else {
      throw Problem(
        .forbidden,
        "tickets are had over the Unix socket alone, by whom the system vouches for; run chimectl "
          + "console on the service's own machine")
    }
    let body = try JSONObject(
      await call.body(within: limits), within: limits, known: ["scope"])
    let scope = try Self.scope(body["scope"])
    guard let secret = desk.issue(for: .init(scope: scope, grantor: caller.name)) else {
      throw Problem(tooManyTickets: ConsoleTickets.lifetime)
    }
    call.audit.add(scope.text)
    let path = ConsoleRoutes.path + "#t=" + secret.reveal()
    let end = now() + ConsoleTickets.lifetime
    var response = Response(status: .created) { writer in
      writer.beginObject()
      writer.member("scope", scope.text)
      writer.member("expires", end.description)
      writer.member("path", path)
      writer.member("url", places.origin.map { .string($0 + path) } ?? .null)
      writer.endObject()
    }
    response.headers[.cacheControl] = "no-store"
    return response
  }

  private static func scope(_ value: JSONValue?) throws(Problem) -> AccessScope {
    guard let value else { return .administrator }
    if let scope = value.stringValue.flatMap({ AccessScope($0) }) { return scope }
    throw Problem(
      .unacceptableToken,
      "scope must be \"admin\", \"support\", \"observer\", or \"recipient:\" and a recipient's id; "
        + "there is no ticket", path: "scope")
  }

  // MARK: - Sessions

  private func open(_ call: Call) async throws -> Response {
    if case .network(_, let peer) = call.scope.origin {
      try limiter.admit("console \(peer)", else: "your address has opened the console too often")
    }
    let body = try JSONObject(
      await call.body(within: limits), within: limits, known: ["ticket"])
    guard let ticket = body["ticket"]?.stringValue.flatMap({ TokenSecret($0) }),
      let grant = desk.redeem(ticket)
    else {
      throw Problem(
        .unknownToken,
        "the ticket has been used or is older than a minute; run chimectl console for a new one")
    }
    var generator = SystemRandomNumberGenerator()
    let secret = TokenSecret(using: &generator)
    let now = now()
    let record = TokenRecord(
      identifier: secret.identifier, name: "console of \(grant.grantor)", scope: grant.scope,
      digest: secret.digest, created: now, expiry: now + Self.sessionSpan)
    do {
      try await tokens.add(record)
    } catch {
      throw Problem(error)
    }
    audit?.record(
      AuditEntry(
        actor: grant.grantor, action: Operation.openConsole.identifier,
        subject: "\(record.identifier), \(record.scope.text)"))
    var response = Response(status: .created) { record.write(at: now, secret: secret, to: &$0) }
    response.headers[.cacheControl] = "no-store"
    return response
  }

  private func show(_ call: Call, _ caller: Caller) async throws -> Response {
    let now = now()
    return Response { writer in
      writer.beginObject()
      writer.member("scope", caller.scope.text)
      writer.member("recipient", caller.scope.recipient.map { .string($0) } ?? .null)
      writer.member("name", caller.name)
      writer.member("version", Release.version)
      writer.member("now", now.description)
      writer.member("images", .array(settings.images.map { .string($0.description) }))
      writer.endObject()
    }
  }

  /// Ends the token that the request brings, and no other.
  private func close(_ call: Call, _ caller: Caller) async throws -> Response {
    let prefix = "token:"
    guard let bearer = caller.bearer, bearer.hasPrefix(prefix) else {
      throw Problem(.unknownToken, "you bring no token that could be ended here")
    }
    do {
      _ = try await tokens.revoke(String(bearer.dropFirst(prefix.count)), at: now())
    } catch {
      throw Problem(error)
    }
    return Response(status: .noContent)
  }
}

/// Issues and takes tickets; for all who ask at once.
final class TicketDesk: Sendable {
  private let tickets = Mutex(ConsoleTickets())
  private let clock: @Sendable () -> ContinuousClock.Instant

  init(clock: @escaping @Sendable () -> ContinuousClock.Instant) {
    self.clock = clock
  }

  /// Nil while too many wait to be used.
  func issue(for grant: ConsoleTickets.Grant) -> TokenSecret? {
    var generator = SystemRandomNumberGenerator()
    let secret = TokenSecret(using: &generator)
    let now = clock()
    return tickets.withLock { $0.issue(secret, for: grant, at: now) }
  }

  func redeem(_ ticket: TokenSecret) -> ConsoleTickets.Grant? {
    let now = clock()
    return tickets.withLock { $0.redeem(ticket, at: now) }
  }
}

/// Where the service can be reached, once it can.
final class ListeningPlaces: Sendable {
  private let places = Mutex<[String]>([])

  func note(_ places: [String]) { self.places.withLock { $0 = places } }

  /// What a browser on the service's own machine calls it; nil where it listens at its Unix socket
  /// alone.
  var origin: String? {
    places.withLock { $0.first { !$0.hasPrefix("/") } }.map { "http://" + Self.reachable($0) }
  }

  /// The address of every interface is nowhere to go to.
  static func reachable(_ place: String) -> String {
    for (any, own) in [("0.0.0.0:", "127.0.0.1:"), ("[::]:", "[::1]:")] where place.hasPrefix(any) {
      return own + place.dropFirst(any.count)
    }
    return place
  }
}
