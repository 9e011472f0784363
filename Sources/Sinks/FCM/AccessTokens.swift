package import CivilTime
package import Cryptography
internal import JSON
package import Outbox

/// The access token of a service account. One caller at a time requests a token; all callers share
/// it until shortly before it expires.
package actor AccessTokens {
  /// An access token that the server has issued.
  private struct Grant: Sendable {
    let token: Secret
    /// The instant from which callers request a new token.
    var renewal: Instant
    /// When the token expires.
    let expiry: Instant
  }

  private let account: ServiceAccount
  private let exchange: any HTTPExchange
  private let now: @Sendable () -> Instant
  /// The current token; nil before the first and after the server refused it.
  private var grant: Grant?
  /// The request that is in progress, for which all callers wait; nil if there is none.
  private var pendingRequest: Task<Result<Grant, SinkOutage>, Never>?

  /// How long before its expiry a token is renewed, because a request takes time and clocks differ.
  private static let margin = TimeSpan.minutes(5)
  /// How long a token that could not be renewed is used before the next attempt to renew it.
  private static let pause = TimeSpan.seconds(30)

  package init(
    _ account: ServiceAccount, exchange: any HTTPExchange, now: @escaping @Sendable () -> Instant
  ) {
    self.account = account
    self.exchange = exchange
    self.now = now
  }

  /// Returns a valid token, and requests a new one if necessary.
  ///
  /// - Parameter refused: a token that the server refused; a new token is requested unless a newer
  ///   one exists.
  /// - Throws: the reason why there is no token, and what to do.
  package func token(
    insteadOf refused: Secret? = nil, before deadline: ContinuousClock.Instant
  ) async throws(SinkOutage) -> Secret {
    if let grant, now() < min(grant.renewal, grant.expiry), grant.token != refused {
      return grant.token
    }
    if let pendingRequest { return try token(from: await pendingRequest.value, insteadOf: refused) }
    let pendingRequest = Task { [account, exchange, now] in
      await Self.requestGrant(account, exchange, at: now(), before: deadline)
    }
    self.pendingRequest = pendingRequest
    let result = await pendingRequest.value
    self.pendingRequest = nil
    if let newGrant = try? result.get() {
      grant = newGrant
    } else if grant?.token == refused {
      grant = nil
    } else {
      grant?.renewal = now() + Self.pause
    }
    return try token(from: result, insteadOf: refused)
  }

  /// Returns the new token; if the request failed, returns the previous token while it is valid.
  private func token(
    from result: Result<Grant, SinkOutage>, insteadOf refused: Secret?
  ) throws(SinkOutage) -> Secret {
    do throws(SinkOutage) {
      return try result.get().token
    } catch {
      guard let grant, now() < grant.expiry, grant.token != refused else { throw error }
      return grant.token
    }
  }

  private static func requestGrant(
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
    do throws(ExchangeError) {
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
    let lifetime = TimeSpan.seconds(Int(seconds))
    let margin = min(margin, TimeSpan(milliseconds: lifetime.milliseconds / 2))
    return Grant(token: Secret(token), renewal: now + lifetime - margin, expiry: now + lifetime)
  }

  private static func refusal(_ response: ExchangeResponse, _ document: JSONValue?) -> SinkOutage {
    let words = ["\(response.status)", PushReport.errorCode(document?["error"]?.stringValue)]
    let answer =
      "no access token for FCM: the server answers "
      + words.compactMap(\.self).joined(separator: " ")
    // Failures with other statuses are temporary, and need no change of the account.
    guard (400..<429).contains(response.status) else { return SinkOutage(answer) }
    return SinkOutage(
      answer + "; check that the service account and its key still exist and that this "
        + "machine's clock is right, then renew the credential")
  }
}
