package import CivilTime
internal import JSON
import Outbox
package import Reminders
import Systemd

/// Apple's push service.
package struct APNsService: PushService {
  package let type = APNsConfiguration.type
  package let platforms: Set = ["ios"]
  private let origin: ExchangeOrigin
  private let topic: String
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
      return PushResult(.gone(reason: "its token is none of Apple's"))
    }
    let notification = APNsNotification(delivery, to: device)
    guard let payload = notification.payload(tone: tone) else {
      return PushResult(.rejected(reason: "it is too long for APNs even without its text"))
    }
    do throws(SinkOutage) {
      let bearer = try tokens.token()
      let first = await attempt(notification, payload, token, device, bearer, deadline)
      guard case .unauthorized(let refusal) = first else { return first.result }
      guard let renewed = try tokens.token(insteadOf: bearer) else {
        return PushResult(.outage(reason: refusal))
      }
      return await attempt(notification, payload, token, device, renewed, deadline).result
    } catch {
      return PushResult(.outage(reason: error.description))
    }
  }

  private enum Attempt {
    case result(PushResult)
    /// The provider token was not taken.
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
    _ provider: Secret, _ deadline: ContinuousClock.Instant
  ) async -> Attempt {
    let start = ContinuousClock.now
    let request = ExchangeRequest(
      posting: payload, to: origin, path: "/3/device/\(token)",
      headers: notification.headers(topic: topic, bearer: provider.reveal(), now: now()))
    do throws(ExchangeFailure) {
      let response = try await exchange.send(request, before: deadline)
      let verdict = APNsVerdict(response, registered: device.stamp.time, now: now())
      switch verdict.meaning {
      case .unauthorized(let reason): return .unauthorized(reason)
      case .outcome(let outcome):
        tokens.wasTaken(provider)
        let hidden = [Secret(token), provider]
        let report = PushReport(response: response, start: start, hidden: hidden)
        return .result(PushResult(outcome, response: report.kept(verdict.word)))
      }
    } catch {
      return .result(PushResult(error))
    }
  }

  /// Whether it could be one, as Apple writes them: hexadecimal, of a length that may change.
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

/// What an answer of Apple means ("Handling notification responses from APNs").
package struct APNsVerdict: Sendable {
  package enum Meaning: Hashable, Sendable {
    case outcome(PushResult.Outcome)
    /// The provider token is not taken; why.
    case unauthorized(String)
  }

  package let meaning: Meaning
  /// Apple's own word.
  package let word: String?

  /// How long Apple wants a client to wait that it could not serve.
  private static let serverWait = TimeSpan.minutes(15)

  /// - Parameter registered: when the app last said that the device is there.
  package init(_ response: ExchangeResponse, registered: Instant, now: Instant) {
    let body = response.body.isEmpty ? nil : try? JSONParser.parse(response.body)
    word = PushReport.word(body?["reason"]?.stringValue)
    let left = body?["timestamp"]?.integerValue.map { Instant(milliseconds: $0) }
    let name = ["\(response.status)", word].compactMap(\.self).joined(separator: " ")
    let reason = "APNs answers \(name)"
    switch (response.status, word) {
    case (200, _): meaning = .outcome(.delivered)
    case (410, _):
      // Since then it may have come back, which the app would have said.
      let isBack = left.map { $0 < registered } ?? false
      meaning = .outcome(isBack ? .rejected(reason: reason) : .gone(reason: reason))
    default: meaning = Self.meaning(response, word, reason, now)
    }
  }

  private static func meaning(
    _ response: ExchangeResponse, _ word: String?, _ reason: String, _ now: Instant
  ) -> Meaning {
    switch (response.status, word) {
    case (400, "BadDeviceToken"), (400, "DeviceTokenNotForTopic"):
      // Said of every device when "environment" or "topic" is wrong: none is removed for it.
      let advice = ": the device's token is not one of this \"environment\" and \"topic\""
      return .outcome(.rejected(reason: reason + advice))
    case (400, "IdleTimeout"): return .outcome(.retry(after: nil, reason: reason))
    case (400, "BadTopic"), (400, "MissingTopic"), (400, "TopicDisallowed"):
      let advice = ": see that \"topic\" is the app's identifier and belongs to the team"
      return .outcome(.outage(reason: reason + advice))
    case (403, "ExpiredProviderToken"):
      return .unauthorized(reason + ": see that this machine's clock is right")
    case (403, _):
      let advice =
        ": see that \"key\", \"key-id\" and \"team-id\" belong together, that the key "
        + "was not revoked and that it is for this \"environment\""
      return .unauthorized(reason + advice)
    case (429, _): return .outcome(.retry(after: response.retryAfter(now: now), reason: reason))
    case (500...599, _):
      return .outcome(.retry(after: response.retryAfter(now: now) ?? serverWait, reason: reason))
    default: return .outcome(.rejected(reason: reason))
    }
  }
}
