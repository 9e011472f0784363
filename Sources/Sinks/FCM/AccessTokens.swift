package import CivilTime
internal import JSON
package import Outbox
package import Systemd

/// The access token of a service account: requested by one caller at a time, shared with the
/// others, and used until shortly before it expires.
package actor AccessTokens {
  private struct Grant: Sendable {
    let token: Secret
    /// When the token is renewed.
    let renewal: Instant
  }

  private let account: ServiceAccount
  private let exchange: any HTTPExchange
  private let now: @Sendable () -> Instant
  private var grant: Grant?
  private var pendingRequest: Task<Result<Grant, SinkOutage>, Never>?

  /// How long before its expiry a token is renewed: a request takes time, and clocks differ.
  private static let margin = TimeSpan.minutes(5)

  package init(
    _ account: ServiceAccount, exchange: any HTTPExchange, now: @escaping @Sendable () -> Instant
  ) {
    self.account = account
    self.exchange = exchange
    self.now = now
  }

  /// - Parameter refused: a token that the server refused; a new one is requested unless a newer
  ///   one exists.
  /// - Throws: the reason that there is no token, and what to do.
  package func token(
    insteadOf refused: Secret? = nil, before deadline: ContinuousClock.Instant
  ) async throws(SinkOutage) -> Secret {
    if let grant, now() < grant.renewal, grant.token != refused { return grant.token }
    if let pendingRequest { return try await pendingRequest.value.get().token }
    let pendingRequest = Task { [account, exchange, now] in
      await Self.ask(account, exchange, at: now(), before: deadline)
    }
    self.pendingRequest = pendingRequest
    let result = await pendingRequest.value
    self.pendingRequest = nil
    grant = try? result.get()
    return try result.get().token
  }

  private static func ask(
    _ account: ServiceAccount, _ exchange: any HTTPExchange, at now: Instant,
    before deadline: ContinuousClock.Instant
  ) async -> Result<Grant, SinkOutage> {
    do throws(SinkOutage) {
      let request = try account.tokenRequest(at: now)
      return .success(try grant(try await answer(to: request, exchange, deadline), at: now))
    } catch {
      return .failure(error)
    }
  }

  private static func answer(
    to request: ExchangeRequest, _ exchange: any HTTPExchange, _ deadline: ContinuousClock.Instant
  ) async throws(SinkOutage) -> ExchangeResponse {
    do throws(ExchangeFailure) {
      return try await exchange.send(request, before: deadline)
    } catch {
      throw SinkOutage("no access token for FCM: \(error.reason)")
    }
  }

  private static func grant(
    _ response: ExchangeResponse, at now: Instant
  ) throws(SinkOutage) -> Grant {
    let document = try? JSONParser.parse(response.body)
    guard response.status == 200 else { throw refusal(response, document) }
    guard let token = document?["access_token"]?.stringValue,
      let seconds = document?["expires_in"]?.integerValue, (1...604_800).contains(seconds),
      !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
    else { throw SinkOutage("no access token for FCM: the answer has none") }
    let life = TimeSpan.seconds(Int(seconds))
    let margin = min(margin, TimeSpan(milliseconds: life.milliseconds / 2))
    return Grant(token: Secret(token), renewal: now + life - margin)
  }

  private static func refusal(_ response: ExchangeResponse, _ document: JSONValue?) -> SinkOutage {
    let words = ["\(response.status)", PushReport.word(document?["error"]?.stringValue)]
    let answer =
      "no access token for FCM: the server answers "
      + words.compactMap(\.self).joined(separator: " ")
    // Other failures pass without a change of the account.
    guard (400..<429).contains(response.status) else { return SinkOutage(answer) }
    return SinkOutage(
      answer + "; check that the service account and its key still exist and that this "
        + "machine's clock is right, then renew the credential")
  }
}

/// A Google service account, read from the key file that Google's console creates; it cannot be
/// printed.
package struct ServiceAccount: Sendable {
  package let project: String
  /// The token endpoint.
  package let tokens: ExchangeTarget
  private let email: String
  private let key: SigningKey
  /// `token_uri` as written, which is the assertion's audience.
  private let audience: String

  /// The OAuth scope of access tokens.
  private static let scope = "https://www.googleapis.com/auth/firebase.messaging"
  /// The longest life of an assertion that Google allows, in seconds.
  private static let assertionLife: Int64 = 3_600

  /// - Parameter file: the JSON key file.
  /// - Throws: why it is invalid, without quoting its contents.
  package init(_ file: Secret) throws(SinkOutage) {
    guard let document = try? JSONParser.parse(file.reveal()) else {
      throw SinkOutage("the service account is not JSON; give the key file from Google's console")
    }
    guard document["type"]?.stringValue == "service_account" else {
      throw SinkOutage("the credential is not a service account, by its \"type\"")
    }
    func text(_ name: String) throws(SinkOutage) -> String {
      if let text = document[name]?.stringValue, !text.isEmpty { return text }
      throw SinkOutage("the service account has no \"\(name)\"")
    }
    project = try text("project_id")
    email = try text("client_email")
    audience = try text("token_uri")
    guard let target = ExchangeTarget(audience) else {
      throw SinkOutage("the service account's \"token_uri\" is not an https URL")
    }
    tokens = target
    let identifier = try text("private_key_id")
    guard let key = SigningKey(rsa: try text("private_key"), identifier: identifier) else {
      throw SinkOutage("the service account's \"private_key\" is not an RSA key in PEM")
    }
    self.key = key
  }

  /// Returns the request for an access token (RFC 7523, section 2.1).
  func tokenRequest(at now: Instant) throws(SinkOutage) -> ExchangeRequest {
    let claims: JSONObject = [
      "iss": .string(email), "scope": .string(Self.scope), "aud": .string(audience),
      "iat": .integer(now.seconds), "exp": .integer(now.seconds + Self.assertionLife),
    ]
    guard let assertion = try? key.token(claims: claims) else {
      throw SinkOutage("the service account's key cannot sign; renew the credential")
    }
    let form =
      "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion="
      + assertion.reveal()
    return ExchangeRequest(
      posting: Array(form.utf8), to: tokens.origin, path: tokens.path,
      headers: [("content-type", "application/x-www-form-urlencoded")])
  }
}

extension ServiceAccount: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  package var description: String { "(a service account)" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
