package import CivilTime
package import Delivery
internal import JSON
package import Systemd

/// The access token of a service account: asked for once, by one at a time, and used until shortly
/// before it expires.
package actor AccessTokens {
  private struct Grant: Sendable {
    let token: Secret
    /// When it is renewed.
    let renewal: Instant
  }

  private let account: ServiceAccount
  private let exchange: any HTTPExchange
  private let now: @Sendable () -> Instant
  private var grant: Grant?
  private var asking: Task<Result<Grant, SinkOutage>, Never>?

  /// How long before its end a token is renewed: a request takes time, and clocks differ.
  private static let margin = TimeSpan.minutes(5)

  package init(
    _ account: ServiceAccount, exchange: any HTTPExchange, now: @escaping @Sendable () -> Instant
  ) {
    self.account = account
    self.exchange = exchange
    self.now = now
  }

  /// - Parameter refused: a token that was not taken; another is asked for, unless there is one.
  /// - Throws: why there is none, and what to do.
  package func token(
    insteadOf refused: Secret? = nil, before deadline: ContinuousClock.Instant
  ) async throws(SinkOutage) -> Secret {
    if let grant, now() < grant.renewal, grant.token != refused { return grant.token }
    if let asking { return try await asking.value.get().token }
    let asking = Task { [account, exchange, now] in
      await Self.ask(account, exchange, at: now(), before: deadline)
    }
    self.asking = asking
    let result = await asking.value
    self.asking = nil
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
    // What is not the account's fault passes.
    guard (400..<429).contains(response.status) else { return SinkOutage(answer) }
    return SinkOutage(
      answer + "; look whether the service account and its key still exist and whether this "
        + "machine's clock is right, and give the credential anew")
  }
}
