import Access
import CivilTime
import HTTPTypes
import HummingbirdCore
import Logging

/// Routes each request to its handler, and turns errors into problem documents.
struct APIResponder: Sendable {
  let table: RouteTable
  let events: EventRoute
  let hosts: HostNames
  var pages: PageAccess
  let authenticator: Authenticator
  /// Limits the request rate of each token.
  let limiter: RateLimiter
  /// Limits the events and other changes that recipients' own tokens send.
  let eventLimiter: EventLimiter
  /// Limits the rate of invalid tokens by peer.
  let failures: RateLimiter
  let limits: APILimits
  /// The audit log; nil if there is none.
  let audit: (any AuditLog)?
  /// The callers that have requested the notification texts of recipients.
  let views: TextViews
  let responses: ResponseCounts
  /// Forwards requests to other nodes; nil if this node answers all requests itself.
  var forwarding: RequestForwarding?
  let now: @Sendable () -> Instant

  @Sendable func respond(to request: Request, in scope: RequestScope) async -> Response {
    var response: Response
    var isBodyUnread = request.method == .get || request.method == .head
    do {
      response = try await answer(request, scope)
    } catch let problem as Problem {
      response = Response(problem)
      isBodyUnread = isBodyUnread || problem.kind.leavesBodyUnread
    } catch {
      response = Response(unexpected(error, request, scope))
      isBodyUnread = true
    }
    if isBodyUnread && Self.hasBody(request) {
      response = response.ending(scope.channel, after: limits.linger)
    }
    pages.share(&response, to: request, table)
    responses.count(response.status)
    response.headers.stamp(at: now())
    return request.method == .head ? response.createHeadResponse() : response
  }

  private func answer(_ request: Request, _ scope: RequestScope) async throws -> Response {
    try hosts.check(request.head.authority, from: scope.origin)
    if let response = try pages.preflight(request, table) { return response }
    let (route, values) = try table.route(request.method, request.uri.path)
    let needsPageCheck =
      !route.isOpenToOtherSites
      && hosts.isFromOtherSite(request.headers, of: request.head.authority)
    if needsPageCheck {
      try pages.check(request.headers, isForRecipients: route.isForRecipients)
    }
    if case .everyone(let answer) = route.answer {
      return try await answer(try call(route, values, request, scope, caller: nil))
    }
    let caller = try caller(of: request, scope)
    if needsPageCheck { try pages.check(caller.scope) }
    if !caller.scope.isApp, !scope.origin.isNode, let bearer = caller.bearer {
      try limiter.admit(bearer, else: Self.overuseReason)
    }
    let call = try call(route, values, request, scope, caller: caller)
    let (response, recipient) = try await answerWithinLimit(call, route, values, caller)
    if let audit, response.status.kind == .successful,
      let entry = call.auditEntry(of: route, about: recipient)
    {
      audit.record(entry)
    }
    return response
  }

  /// Answers a call. A change counts against the limit of changes of the caller's recipient, unless
  /// the service fails to carry it out.
  private func answerWithinLimit(
    _ call: Call, _ route: Route, _ values: Route.Values, _ caller: Caller
  ) async throws -> (Response, recipient: String?) {
    guard route.countsAsChange, !call.isDryRun else {
      return try await answer(call, route, values, caller)
    }
    try eventLimiter.count(1, of: caller, from: call.scope.origin)
    var isServiceFault = true
    defer { if isServiceFault { eventLimiter.refund(1, of: caller, from: call.scope.origin) } }
    do {
      let answer = try await answer(call, route, values, caller)
      isServiceFault = answer.0.status.kind == .serverError
      return answer
    } catch let problem as Problem {
      isServiceFault = problem.isServiceFault
      throw problem
    }
  }

  /// - Returns: the answer, and the recipient that it is about, if any.
  private func answer(
    _ call: Call, _ route: Route, _ values: Route.Values, _ caller: Caller
  ) async throws -> (Response, recipient: String?) {
    switch route.answer {
    case .everyone(let answer): return (try await answer(call), nil)
    case .service(let right, let answer):
      try caller.check(right)
      return (try await answer(call), nil)
    case .person(let right, let answer):
      try caller.check(right)
      let recipient = try Self.recipient(values, call, caller)
      if route.needsOwner,
        let response = try await forwarding?.response(
          to: call, of: route.operation, about: recipient)
      {
        return (response, recipient)
      }
      return (try await answer(call, recipient), recipient)
    case .recipient(let answer):
      let recipient = try Self.recipient(values, call, caller)
      let hidesTexts =
        caller.hidesTexts ?? views.areHidden(from: caller, of: recipient, at: now())
      if route.needsOwner,
        let response = try await forwarding?.response(
          to: call, of: route.operation, about: recipient, hidesTexts: hidesTexts)
      {
        return (response, recipient)
      }
      let response = try await Texts.$areHidden.withValue(hidesTexts) {
        try await answer(call, recipient)
      }
      return (response, recipient)
    case .caller(let answer):
      if caller.scope.grant != nil, !route.acceptsEvents {
        let right: AccessScope.Right =
          route.template == PushKeyRoute.path ? .support : .observation
        throw Problem(caller.scope, lacks: right)
      }
      return (try await answer(call, caller), call.parameters["recipient"])
    }
  }

  private static func recipient(
    _ values: Route.Values, _ call: Call, _ caller: Caller
  ) throws(Problem) -> String {
    let segment = try values.recipient.map { (text) throws(Problem) in try decoded(text) }
    return try caller.recipient(named: segment ?? call.parameters["recipient"])
  }

  private static let overuseReason = """
    your token has sent too many requests in too short a time; this request was not carried out; \
    send many events in one batch or stream
    """

  /// Authenticates the caller. A valid token is never refused because of failures from the same
  /// address. Tokens cannot be guessed, so the limit on failures only protects the service from
  /// load.
  private func caller(of request: Request, _ scope: RequestScope) throws(Problem) -> Caller {
    do {
      return try authenticator.caller(sending: request.headers, from: scope.origin)
    } catch {
      if error.kind == .unauthenticated, request.headers.contains(.authorization),
        case .network(_, let peer) = scope.origin
      {
        try failures.admit(
          peer, else: "too many invalid tokens came from your address")
      }
      throw error
    }
  }

  private func call(
    _ route: Route, _ values: Route.Values, _ request: Request, _ scope: RequestScope,
    caller: Caller?
  ) throws(Problem) -> Call {
    var segments: [String] = []
    for segment in values.segments { segments.append(try Self.decoded(segment)) }
    return Call(
      request: request, scope: scope, caller: caller, segments: segments,
      parameters: try Query.parameters(in: request.uri.query, known: route.query.map(\.name)),
      allowedParameters: route.query)
  }

  private static func decoded(_ segment: Substring) throws(Problem) -> String {
    if let decoded = PercentEncoding.decoded(segment) { return decoded }
    throw Problem(
      .invalidParameter, "\"\(String(segment).shortened)\" in the path is not percent-encoded UTF-8"
    )
  }

  private static func hasBody(_ request: Request) -> Bool {
    request.headers.contains(.transferEncoding)
      || request.headers[.contentLength].map { $0 != "0" } ?? false
  }

  private func unexpected(
    _ error: any Error, _ request: Request, _ scope: RequestScope
  ) -> Problem {
    scope.logger.error(
      "a request failed with an unexpected error",
      metadata: [
        "method": "\(request.method)", "path": "\(request.uri.path.shortened)",
        "error": "\(String(reflecting: error))",
      ])
    return Problem(
      .unexpected,
      "unexpected error, see the service's log; report it, and try again")
  }
}

extension HTTPFields {
  /// Adds the date and the server's name to a response.
  mutating func stamp(at now: Instant) {
    self[.date] = now.httpDate
    self[.server] = "chimed"
  }
}
