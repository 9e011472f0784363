package import CivilTime
import Cryptography
import Outbox
package import Reminders

/// Apple's push service.
package struct APNsService: PushService {
  package let type = APNsConfiguration.type
  package let platforms: Set = ["ios"]
  private let origin: ExchangeOrigin
  /// The identifier of the app.
  private let topic: String
  /// The sound for recipients who have chosen a custom tone; nil for the default sound.
  private let tone: String?
  private let tokens: ProviderTokens
  private let exchange: any HTTPExchange
  private let now: @Sendable () -> Instant

  package init(
    origin: ExchangeOrigin, topic: String, tone: String?, tokens: ProviderTokens,
    exchange: any HTTPExchange, now: @escaping @Sendable () -> Instant
  ) {
    self.origin = origin
    self.topic = topic
    self.tone = tone
    self.tokens = tokens
    self.exchange = exchange
    self.now = now
  }

  package func push(
    _ delivery: Delivery, to device: Device, before deadline: ContinuousClock.Instant
  ) async -> PushResult {
    guard let token = device.token, Self.isToken(token) else {
      return PushResult(.gone(reason: "its token is not an APNs token"))
    }
    let notification = APNsNotification(delivery, to: device)
    guard let payload = notification.payload(tone: tone) else {
      return PushResult(.rejected(reason: "the message is too long for APNs even without its text"))
    }
    do throws(SinkOutage) {
      let bearer = try tokens.token()
      let first = await attempt(notification, payload, token, device, bearer, deadline)
      guard case .unauthorized(let refusal) = first else { return first.result }
      guard let newBearer = try tokens.token(insteadOf: bearer) else {
        return PushResult(.outage(reason: refusal))
      }
      return await attempt(notification, payload, token, device, newBearer, deadline).result
    } catch {
      return PushResult(.outage(reason: error.description))
    }
  }

  /// The result of sending the notification once.
  private enum Attempt {
    case result(PushResult)
    /// Apple refused the provider token, for this reason.
    case unauthorized(String)

    var result: PushResult {
      switch self {
      case .result(let result): result
      case .unauthorized(let reason): PushResult(.outage(reason: reason))
      }
    }
  }

  private func attempt(
    _ notification: APNsNotification, _ payload: [UInt8], _ token: String, _ device: Device,
    _ bearer: Secret, _ deadline: ContinuousClock.Instant
  ) async -> Attempt {
    let start = ContinuousClock.now
    let request = ExchangeRequest(
      posting: payload, to: origin, path: "/3/device/\(token)",
      headers: notification.headers(topic: topic, bearer: bearer.reveal(), now: now()))
    do throws(ExchangeError) {
      let response = try await exchange.send(request, before: deadline)
      let verdict = APNsVerdict(response, registered: device.stamp.time, now: now())
      switch verdict.meaning {
      case .unauthorized(let reason): return .unauthorized(reason)
      case .outcome(let outcome):
        tokens.recordAccepted(bearer)
        let secrets = [Secret(token), bearer]
        let report = PushReport(response: response, start: start, secrets: secrets)
        return .result(PushResult(outcome, response: report.sinkResponse(verdict.word)))
      }
    } catch {
      return .result(PushResult(error))
    }
  }

  /// Whether the text has the form of a device token: hexadecimal digits. Apple may change their
  /// number, so any number up to 256 is accepted.
  private static func isToken(_ token: String) -> Bool {
    (1...256).contains(token.utf8.count)
      && token.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
          UInt8(ascii: "A")...UInt8(ascii: "F"):
          true
        default: false
        }
      }
  }
}
