package import CivilTime
import Cryptography
import Outbox
package import Reminders

/// Google's push service, for Android devices, browsers, and Apple devices whose app registers with
/// Firebase.
package struct FCMService: PushService {
  package let type = FCMConfiguration.type
  package let platforms: Set<String>
  private let origin: ExchangeOrigin
  /// The path to which messages of the project are sent.
  private let path: String
  private let presentation: FCMPresentation
  private let tokens: AccessTokens
  private let exchange: any HTTPExchange
  private let now: @Sendable () -> Instant

  package init(
    platforms: Set<String>, origin: ExchangeOrigin, project: String, presentation: FCMPresentation,
    tokens: AccessTokens, exchange: any HTTPExchange, now: @escaping @Sendable () -> Instant
  ) {
    self.platforms = platforms
    self.origin = origin
    path = "/v1/projects/\(project)/messages:send"
    self.presentation = presentation
    self.tokens = tokens
    self.exchange = exchange
    self.now = now
  }

  package func push(
    _ delivery: Delivery, to device: Device, before deadline: ContinuousClock.Instant
  ) async -> PushResult {
    guard let token = device.token else { return PushResult(.gone(reason: "it has no token")) }
    let message = FCMMessage(
      delivery, platform: device.platform, token: token, presentation: presentation)
    guard let body = message.bytes(now: now()) else {
      return PushResult(.rejected(reason: "the message is too long for FCM even without its text"))
    }
    do throws(SinkOutage) {
      let bearer = try await tokens.token(before: deadline)
      let result = await attempt(body, token, bearer, deadline)
      if let result { return result }
      let newBearer = try await tokens.token(insteadOf: bearer, before: deadline)
      return await attempt(body, token, newBearer, deadline)
        ?? PushResult(.outage(reason: Self.refusal))
    } catch {
      return PushResult(.outage(reason: error.description))
    }
  }

  private static let refusal =
    "FCM answers 401, even to a new access token: \"project\" must be the service account's"

  /// Sends the message once; nil if FCM refused the access token.
  private func attempt(
    _ body: [UInt8], _ token: String, _ bearer: Secret, _ deadline: ContinuousClock.Instant
  ) async -> PushResult? {
    let start = ContinuousClock.now
    let request = ExchangeRequest(
      posting: body, to: origin, path: path,
      headers: [
        ("authorization", "Bearer \(bearer.reveal())"), ("content-type", "application/json"),
      ])
    do throws(ExchangeError) {
      let response = try await exchange.send(request, before: deadline)
      let verdict = FCMVerdict(response, now: now())
      guard case .outcome(let outcome) = verdict.meaning else { return nil }
      let report = PushReport(response: response, start: start, secrets: [Secret(token), bearer])
      return PushResult(outcome, response: report.sinkResponse(verdict.word))
    } catch {
      return PushResult(error)
    }
  }
}
