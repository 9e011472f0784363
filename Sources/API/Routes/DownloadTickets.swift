import Access
import CivilTime
import HTTPTypes
import HummingbirdCore
import JSON

/// Creates addresses from which a file can be downloaded once (rule H10). A browser that saves a
/// file sends no token, so a page exchanges its token for such an address.
struct DownloadTickets: Sendable {
  /// The unused tickets.
  let store: TicketStore
  /// Limits the rate of invalid tickets by client address.
  let failures: RateLimiter
  let audit: (any AuditLog)?
  let now: @Sendable () -> Instant

  /// Issues a ticket for the data of `scope`. Returns a response with the ticket's address, which
  /// is below `path`.
  func address(
    below path: String, for scope: AccessScope, _ call: Call
  ) throws(Problem) -> Response {
    guard let caller = call.caller else { throw Problem.noToken }
    guard let secret = store.issue(for: .init(scope: scope, grantor: caller.name), to: caller)
    else {
      throw Problem(tooManyTickets: OneTimeTickets.lifetime)
    }
    let end = now() + OneTimeTickets.lifetime
    var response = Response(
      DownloadTicketPayload.self,
      DownloadTicketPayload.Value(path: path + "/" + secret.reveal(), end: end), status: .created)
    response.headers[.cacheControl] = "no-store"
    return response
  }

  /// Returns the grant of the ticket in the address. Uses up the ticket, unless the method is HEAD.
  ///
  /// - Parameter path: the path of the same data for callers with a token.
  func redeem(_ call: Call, or path: String) throws(Problem) -> OneTimeTickets.Grant {
    if let ticket = TokenSecret(call.segments[0]),
      let grant = call.isForHead ? store.grant(of: ticket) : store.redeem(ticket)
    {
      return grant
    }
    // Only invalid tickets count: a client at the limit can still use a valid one.
    if case .network(_, let peer) = call.scope.origin {
      try failures.admit(peer, else: "too many invalid tickets came from your address")
    }
    throw Problem(
      .unknownToken,
      "the ticket has been used or is older than a minute; ask for a new one, or send your token "
        + "to \(path)")
  }

  /// Records a download in the audit log, as an act of the caller that requested the ticket.
  func record(_ operation: Operation, by grant: OneTimeTickets.Grant) {
    audit?.record(
      AuditEntry(
        actor: grant.grantor, action: operation.identifier, recipient: grant.scope.recipient))
  }
}

struct DownloadTicketPayload: Payload {
  struct Value {
    /// The address of the file, with the ticket.
    let path: String
    /// The instant at which the ticket expires.
    let end: Instant
  }

  static let shape = PayloadShape(Self())

  let path = Member("path", .text.example("/v1/backup/chimed_...")) { $0.path }
  let expires = Member("expires", .instant) { $0.end }
}

extension Call {
  /// Whether the client requests only the head of the answer.
  var isForHead: Bool { request.method == .head }
}

extension Response {
  /// Returns a copy that browsers save under a name.
  func saved(as name: String) -> Response {
    var response = self
    response.headers[.contentDisposition] = "attachment; filename=\"\(name)\""
    response.headers[.cacheControl] = "no-store"
    return response
  }
}

extension Problem {
  /// - Parameter lifetime: the time after which the oldest ticket has expired.
  init(tooManyTickets lifetime: TimeSpan) {
    self.init(
      .tooManyRequests, "you have too many unused tickets; use one, or wait a minute",
      headers: [.retryAfter: "\(lifetime.milliseconds / 1_000)"])
  }
}
