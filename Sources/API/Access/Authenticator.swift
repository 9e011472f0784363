package import Access
import CivilTime
import Engine
import HTTPTypes
import Synchronization

/// Authenticates requests (rule H1). Credentials in the request take precedence over those of the
/// Unix socket's peer, which may be a proxy.
struct Authenticator: Sendable {
  let access: APIAccess
  let now: @Sendable () -> Instant

  /// Returns the caller of a request; throws a refusal if the request has no valid credentials.
  ///
  /// - Parameters:
  ///   - headers: the headers of the request.
  ///   - origin: the connection on which the request arrived.
  func caller(
    sending headers: HTTPFields, from origin: ConnectionOrigin
  ) throws(Problem) -> Caller {
    if case .node = origin { return try Caller(forwarded: headers) }
    if let credentials = try BearerCredentials(headers) {
      return try caller(bearing: credentials)
    }
    switch origin {
    case .local(let peer): return try administrator(peer)
    case .network, .node: throw Problem.noToken
    }
  }

  private func administrator(_ peer: PeerCredentials?) throws(Problem) -> Caller {
    guard let peer else {
      throw Problem(
        .forbidden,
        "the system does not identify your process; send \"Authorization: Bearer TOKEN\"")
    }
    guard access.local.isAdministrator(peer) else {
      throw Problem(.forbidden, access.local.refusal(of: peer))
    }
    return Caller(scope: .administrator, name: "user \(peer.user)", isLocal: true, bearer: nil)
  }

  private func caller(bearing credentials: BearerCredentials) throws(Problem) -> Caller {
    switch credentials {
    case .token(let secret): return try caller(bearing: secret)
    case .webToken(let token): return try caller(bearing: token)
    }
  }

  private func caller(bearing token: WebToken) throws(Problem) -> Caller {
    guard let rules = access.webTokens?.value else {
      throw Problem(
        invalidToken: "this is a JSON Web Token, and the service has no key to verify it; "
          + "start it with --jwt-keys")
    }
    do {
      let recipient = try rules.recipient(of: token, at: now())
      return Caller(
        scope: .recipient(recipient), name: "the subject of a web token", isLocal: false,
        bearer: "subject:" + recipient)
    } catch {
      throw Problem(invalidToken: "\(error)")
    }
  }

  private func caller(bearing secret: TokenSecret) throws(Problem) -> Caller {
    guard let record = access.tokens?.token(secret.identifier), secret.matches(record) else {
      throw Problem(
        invalidToken: "the token is unknown; ask an administrator of the service for one")
    }
    let now = now()
    switch record.standing(at: now) {
    case .valid:
      access.tokens?.recordUse(of: record.identifier, at: now)
      return Caller(
        scope: record.scope, name: "token \(record.identifier) \"\(record.name)\"",
        isLocal: false, bearer: "token:" + record.identifier)
    case .expired(let instant):
      throw Problem(invalidToken: "the token expired at \(instant); ask for a new one")
    case .revoked(let instant):
      throw Problem(invalidToken: "the token was revoked at \(instant); ask for a new one")
    }
  }
}

/// The credentials in a request's Authorization header (RFC 6750, section 2.1). No other part of a
/// request may contain credentials. Printing them does not show the secret.
enum BearerCredentials: Sendable {
  case token(TokenSecret)
  case webToken(WebToken)

  /// Reads a request's headers; nil if they contain no credentials.
  init?(_ headers: HTTPFields) throws(Problem) {
    let fields = headers[values: .authorization]
    guard let field = fields.first else { return nil }
    guard fields.count == 1 else {
      throw Problem(invalidToken: "the header Authorization is repeated; send it once")
    }
    let parts = field.split(separator: " ")
    guard parts.count == 2, parts[0].lowercased() == "bearer" else {
      throw Problem(invalidToken: "the header Authorization has to be \"Bearer TOKEN\"")
    }
    if let secret = TokenSecret(parts[1]) {
      self = .token(secret)
    } else if let token = WebToken(parts[1]) {
      self = .webToken(token)
    } else {
      throw Problem(
        invalidToken: "this is not a token of this service; copy the whole token, which begins "
          + "with chimed_")
    }
  }
}

/// The current rules for JSON Web Tokens; nil if there are none. A reload replaces them.
package final class CurrentWebTokenRules: Sendable {
  private let rules: Mutex<WebTokenRules?>

  package init(_ rules: WebTokenRules?) {
    self.rules = Mutex(rules)
  }

  package var value: WebTokenRules? {
    get { rules.withLock(\.self) }
    set { rules.withLock { $0 = newValue } }
  }
}
