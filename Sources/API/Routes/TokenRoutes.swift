import Access
import CivilTime
import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import NIOCore

/// Makes, lists and revokes tokens (rule H1). They are made over the Unix socket alone, as who has
/// come by a token could otherwise make others that outlive it. The list has no secrets, and what
/// is revoked lets nobody in: both are for whoever administers, wherever they are.
struct TokenRoutes: Sendable {
  let tokens: any TokenService
  let limits: APILimits
  let now: @Sendable () -> Instant

  private static let pages = 1...1_000
  private static let usualPage = 100

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
    let request = try TokenRequest(try read(await call.body(within: limits)), now: now)
    var generator = SystemRandomNumberGenerator()
    let secret = TokenSecret(using: &generator)
    let record = TokenRecord(
      identifier: secret.identifier, name: request.name, scope: request.scope,
      digest: secret.digest, created: now, expiry: request.expiry)
    do {
      try await tokens.add(record)
    } catch {
      throw Problem(error)
    }
    let end = record.expiry.map { "until \($0)" } ?? "without end"
    call.audit.add("\(record.identifier) \"\(record.name)\", \(record.scope.text), \(end)")
    var response = Response(
      TokenPayload.self, TokenPayload.Value(record: record, now: now, secret: secret),
      status: .created)
    response.headers[.cacheControl] = "no-store"
    return response
  }

  private func list(_ call: Call) async throws -> Response {
    let limit = try Self.limit(call.parameters["limit"])
    let all = tokens.tokens
    let after = call.parameters["after"]
    let start = after.flatMap { last in all.firstIndex { $0.identifier == last } }.map { $0 + 1 }
    guard after == nil || start != nil else {
      throw Problem(
        .invalidParameter, "after must be the \"next\" of the page before", path: "after")
    }
    let page = all[(start ?? 0)...].prefix(limit)
    let next = page.endIndex == all.endIndex ? nil : page.last?.identifier
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
    call.audit.add("\(revoked.identifier) \"\(revoked.name)\", \(revoked.scope.text)")
    return Response(TokenPayload.self, TokenPayload.Value(record: revoked, now: now))
  }

  private static func checkOrigin(of call: Call) throws(Problem) {
    guard call.caller?.isLocal == true else {
      throw Problem(
        .forbidden,
        "tokens are made over the Unix socket alone, by whom the system vouches for; "
          + "run chimectl token create on the service's own machine")
    }
  }

  private func read(_ body: ByteBuffer) throws(Problem) -> JSONObject {
    switch body.withUnsafeReadableBytes(JSONParser(maximumBytes: limits.body).result) {
    case .success(.object(let document)): return document
    case .success(let value):
      throw Problem(.malformedText, "a token is described by an object; this is \(value.kind)")
    case .failure(let error): throw Problem(error)
    }
  }

  private static func limit(_ text: String?) throws(Problem) -> Int {
    guard let text else { return usualPage }
    if let limit = Int(text), pages.contains(limit) { return limit }
    throw Problem(
      .invalidParameter,
      "limit must be a number from \(pages.lowerBound) to \(pages.upperBound); it is "
        + "\"\(text.shortened)\"", path: "limit")
  }
}

/// What the maker of a token asks for: `{"name": "phone", "scope": "recipient:u1", "for": "P30D"}`.
struct TokenRequest {
  let name: String
  let scope: AccessScope
  let expiry: Instant?

  init(_ document: JSONObject, now: Instant) throws(Problem) {
    let known = ["name", "scope", "for"]
    for member in document where !known.contains(member.key) {
      let list = known.joined(separator: ", ")
      throw Self.problem(member.key, "\(member.key.shortened) is not known; known here are \(list)")
    }
    guard let name = document["name"]?.stringValue, (1...100).contains(name.count),
      !name.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7f })
    else {
      throw Self.problem("name", "name must be a text of 1 to 100 characters that says whose it is")
    }
    guard let scope = document["scope"]?.stringValue.flatMap({ AccessScope($0) }) else {
      throw Self.problem(
        "scope",
        "scope must be \"admin\", \"support\", \"observer\", or \"recipient:\" and a "
          + "recipient's id")
    }
    self.name = name
    self.scope = scope
    expiry = try Self.expiry(document["for"], now: now)
  }

  private static func expiry(_ value: JSONValue?, now: Instant) throws(Problem) -> Instant? {
    guard let value, !value.isNull else { return nil }
    let longest = TimeSpan.days(36_500)
    guard let span = value.stringValue.flatMap({ TimeSpan($0) }), span > .zero, span <= longest
    else {
      throw problem("for", "for must be how long the token holds, such as 30d or 12h")
    }
    return now + span
  }

  private static func problem(_ path: String, _ detail: String) -> Problem {
    Problem(.unacceptableToken, detail + "; no token was made", path: path)
  }
}
