import Access
import CivilTime
import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import Reminders

/// Creates, lists and revokes tokens (rule H1). Tokens are created only over the Unix socket,
/// because otherwise a stolen token could create others that outlive it. Administrators anywhere
/// may list and revoke: the list has no secrets, and a revoked token grants nothing.
struct TokenRoutes: Sendable {
  let service: any ReminderService
  let tokens: any TokenService
  let limits: APILimits
  let now: @Sendable () -> Instant

  var routes: [Route] {
    [
      Route(.get, "/v1/tokens", .tokens, answer: .administrator(list)),
      Route(.post, "/v1/tokens", .createToken, answer: .administrator(create)),
      Route(.delete, "/v1/tokens/{token}", .revokeToken, answer: .administrator(revoke)),
    ]
  }

  private func create(_ call: Call) async throws -> Response {
    try Self.checkOrigin(of: call)
    let now = now()
    let body = try await call.body(TokenBody.self, within: limits)
    var generator = SystemRandomNumberGenerator()
    let secret = TokenSecret(using: &generator)
    let lifetime = try body.for ?? .span(TokenRecord.defaultLifetime)
    let record = TokenRecord(
      identifier: secret.identifier, name: try body.name, scope: try scope(of: body),
      digest: secret.digest, created: now, expiry: lifetime.expiry(from: now))
    do {
      try await tokens.add(record)
    } catch {
      throw Problem(error)
    }
    let validity = record.expiry.map { "until \($0)" } ?? "never expires"
    call.audit.setSubject(
      "\(record.identifier) \"\(record.name)\", \(record.scope.text), \(validity)")
    var response = Response(
      TokenPayload.self, TokenPayload.Value(record: record, now: now, secret: secret),
      status: .created)
    response.headers[.cacheControl] = "no-store"
    return response
  }

  /// Returns the requested scope. The scope of a token that reports events contains the permitted
  /// types and source.
  private func scope(of body: ReceivedBody<TokenBody>) throws(Problem) -> AccessScope {
    let (scope, types, source) = (try body.scope, try body.types, try body.source)
    let restriction = types.map { _ in "types" } ?? source.map { _ in "source" }
    guard let restriction else { return scope }
    guard scope.grant != nil else {
      throw Problem(
        .invalidBody,
        "\(restriction) is only for the scope report, and the scope is "
          + "\"\(scope.text.shortened)\"; "
          + "leave \(restriction) out, or use the scope report",
        path: restriction)
    }
    let knownTypes = service.planner.catalog.events.filter { !$0.isCopy }.map(\.type)
    for (index, type) in (types ?? []).enumerated() where !knownTypes.contains(type) {
      throw Problem(
        .invalidBody,
        "types[\(index)] is \"\(type.shortened)\", which is not declared" + hint(type, knownTypes),
        path: "types[\(index)]")
    }
    guard let grant = ReportGrant(types: types ?? [], source: source) else {
      throw Problem(
        .invalidBody, "\(restriction) is not valid; nothing was changed", path: restriction)
    }
    return .report(grant)
  }

  private func list(_ call: Call) async throws -> Response {
    let limit = try call.limit()
    let allTokens = tokens.tokens
    let cursor = call.parameters["after"]
    let start = cursor.flatMap { last in allTokens.firstIndex { $0.identifier == last } }
      .map { $0 + 1 }
    guard cursor == nil || start != nil else {
      throw Problem(
        .invalidParameter, "after must be the \"next\" of the previous page", path: "after")
    }
    let page = allTokens[(start ?? 0)...].prefix(limit)
    let next = page.endIndex == allTokens.endIndex ? nil : page.last?.identifier
    return Response(
      TokenPagePayload.self, TokenPagePayload.Value(tokens: page, now: now(), next: next))
  }

  private func revoke(_ call: Call) async throws -> Response {
    let now = now()
    let identifier = call.segments[0]
    let revoked: TokenRecord?
    do {
      revoked = try await tokens.revoke(identifier, at: now)
    } catch {
      throw Problem(error)
    }
    guard let revoked else {
      throw Problem(
        .unknownToken,
        "there is no token \"\(identifier.shortened)\"; GET /v1/tokens lists them, each with its id"
      )
    }
    call.audit.setSubject("\(revoked.identifier) \"\(revoked.name)\", \(revoked.scope.text)")
    return Response(TokenPayload.self, TokenPayload.Value(record: revoked, now: now))
  }

  private static func checkOrigin(of call: Call) throws(Problem) {
    guard call.caller?.isLocal == true else {
      throw Problem(
        .forbidden,
        "tokens can only be created over the Unix socket, without a token; "
          + "run chimectl token create on the service's own machine")
    }
  }
}

/// A request for a token: `{"name": "phone", "scope": "recipient:u1", "for": "P30D"}`, or
/// `{"name": "shop", "scope": "report", "types": ["booking.created"], "source": "shop"}`.
struct TokenBody: RequestPayload {
  static let shape = BodyShape(Self())

  let name = Member("name", .tokenName)
  let scope = Member("scope", .scope)
  let types = Member(
    "types", optional: .eventTypes,
    "For the scope report: the types of events that the token may report; default: every type "
      + "except recipient.deleted")
  let source = Member(
    "source", optional: .eventSource,
    "For the scope report: the only source of events that the token may report; default: any")
  let `for` = Member(
    "for", optional: .tokenLifetime,
    "How long the token is valid, such as 90d, or \"never\" for no expiry; default: 30d")
}

/// How long a token is valid.
enum TokenLifetime: Sendable {
  case span(TimeSpan)
  case endless

  /// Returns the instant at which the token expires; nil if it never expires.
  func expiry(from now: Instant) -> Instant? {
    if case .span(let span) = self { now + span } else { nil }
  }
}

extension InputKind where Content == String {
  fileprivate static var tokenName: Self {
    let length = 1...100
    return text(.text(length), "a text of 1 to 100 characters without control characters") { name in
      length.contains(name.unicodeScalars.count)
        && !name.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7f }
    }
  }
}

extension InputKind where Content == [String] {
  fileprivate static var eventTypes: Self {
    let length = 1...128
    let countMax = ReportGrant.typesMax
    var schema = Schema.list(.text(length), atMost: countMax).json
    schema["minItems"] = 1
    return InputKind(
      Schema(schema),
      "a list of 1 to \(countMax) types of events without spaces and commas, such as "
        + "[\"lesson.completed\"]"
    ) { value in
      let types = value.arrayValue?.compactMap(\.stringValue) ?? []
      let areValid = (1...countMax).contains(types.count) && types.count == value.arrayValue?.count
      return areValid && types.allSatisfy(ReportGrant.isType) ? types : nil
    }
  }
}

extension InputKind where Content == String {
  fileprivate static var eventSource: Self {
    text(
      .text(1...256), "a source of 1 to 256 bytes without control characters",
      where: ReportGrant.isSource)
  }
}

extension InputKind where Content == TokenLifetime {
  fileprivate static var tokenLifetime: Self {
    let schema = Schema(type: "string", ["examples": ["30d", "PT12H", "never"]])
    return InputKind(schema, "how long the token is valid, such as 30d or 12h, or never") { value in
      if value == "never" { return .endless }
      return value.stringValue.flatMap { TimeSpan($0) }
        .flatMap { $0 > .zero && $0 <= .days(36_500) ? .span($0) : nil }
    }
  }
}
