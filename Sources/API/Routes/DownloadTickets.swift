import Access
import CivilTime
import HTTPTypes
import HummingbirdCore
import JSON

/// Addresses at which a file can be had once. A browser that saves a file sends no token along, so
/// that a page exchanges it for one of these.
struct DownloadTickets: Sendable {
  let desk: TicketStore
  let failures: RateLimiter
  let audit: (any AuditLog)?
  let now: @Sendable () -> Instant

  /// Answers with an address below `path`, for what `scope` may see.
  func address(
    below path: String, for scope: AccessScope, _ call: Call
  ) throws(Problem) -> Response {
    guard let caller = call.caller else { throw Problem.noToken }
    guard let secret = desk.issue(for: .init(scope: scope, grantor: caller.name), to: caller) else {
      throw Problem(tooManyTickets: ConsoleTickets.lifetime)
    }
    let end = now() + ConsoleTickets.lifetime
    var response = Response(
      DownloadTicketPayload.self,
      DownloadTicketPayload.Value(path: path + "/" + secret.reveal(), end: end), status: .created)
    response.headers[.cacheControl] = "no-store"
    return response
  }

  /// What the ticket in the address is for, which is used up by that, except by HEAD.
  ///
  /// - Parameter way: where the same is to be had with a token.
  func redeem(_ call: Call, or way: String) throws(Problem) -> ConsoleTickets.Grant {
    if let ticket = TokenSecret(call.segments[0]),
      let grant = call.isForHead ? desk.grant(of: ticket) : desk.redeem(ticket)
    {
      return grant
    }
    // Those behind the same address whose tickets hold are not refused for it.
    if case .network(_, let peer) = call.scope.origin {
      try failures.admit(
        "download \(peer)", else: "too many tickets that do not hold came from your address")
    }
    throw Problem(
      .unknownToken,
      "the ticket has been used or is older than a minute; ask for a new one, or send your token "
        + "to \(way)")
  }

  func record(_ operation: Operation, by grant: ConsoleTickets.Grant) {
    audit?.record(
      AuditEntry(
        actor: grant.grantor, action: operation.identifier, recipient: grant.scope.recipient))
  }
}

struct DownloadTicketPayload: Payload {
  struct Value {
    let path: String
    let end: Instant
  }

  static let shape = PayloadShape(Self())

  let path = Member("path", .text.example("/v1/backup/chimed_...")) { $0.path }
  let expires = Member("expires", .instant) { $0.end }
}

extension Call {
  /// Whether only the head of the answer is asked for.
  var isForHead: Bool { request.method == .head }
}

extension Response {
  /// The same, to be saved under a name.
  func saved(as name: String) -> Response {
    var response = self
    response.headers[.contentDisposition] = "attachment; filename=\"\(name)\""
    response.headers[.cacheControl] = "no-store"
    return response
  }
}

extension Problem {
  /// - Parameter lifetime: when the oldest of them will have gone.
  init(tooManyTickets lifetime: TimeSpan) {
    self.init(
      .tooManyRequests, "too many tickets wait to be used; use one, or wait a minute",
      headers: [.retryAfter: "\(lifetime.milliseconds / 1_000)"])
  }
}
