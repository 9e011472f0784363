package import CivilTime
internal import Cryptography
internal import HTTPTypes
internal import Outbox
package import Reminders

/// The push services of browsers, each reached at the endpoint of the browser's subscription.
///
/// The holder of a recipient's token chooses the endpoint, and so the host that this service
/// connects to. Therefore a failure concerns only that device and is never an outage of the sink.
/// An origin is a scheme, a host and a port. After an origin has not answered eight pushes in a
/// row, only one push at a time is sent to it. Each push to a silent origin occupies capacity until
/// its deadline. So a recipient whose devices have many silent origins can use up the sink's
/// capacity, and delay other recipients.
package struct WebPushService: PushService {
  package let type = WebPushConfiguration.type
  package let platforms: Set = ["web"]
  package let hasOutages = false
  /// False, because a push has to show a notification: Apple revokes the subscription after three
  /// pushes that show none, and Chrome may show a text of its own.
  package let canWithdraw = false
  private let key: VAPIDKey
  private let client: SafeHTTPClient
  private let now: @Sendable () -> Instant
  private let silentHosts = SilentHosts()

  /// The public key that pages subscribe with, in base64url.
  package var publicKey: String { key.publicKey }

  package init(
    key: VAPIDKey, client: SafeHTTPClient, now: @escaping @Sendable () -> Instant
  ) {
    self.key = key
    self.client = client
    self.now = now
  }

  package func reaches(_ device: Device) -> Bool {
    platforms.contains(device.platform)
      && device.token.flatMap { WebPushSubscription(text: $0) } != nil
  }

  package func push(
    _ delivery: Delivery, to device: Device, before deadline: ContinuousClock.Instant
  ) async -> PushResult {
    let target: WebPushTarget
    do {
      target = try WebPushTarget(to: device)
    } catch {
      return PushResult(.gone(reason: error.reason))
    }
    let message = WebPushMessage(delivery)
    guard let payload = message.payload else {
      return PushResult(.rejected(reason: "the push is too long even without its text"))
    }
    do {
      var fields = message.fields(now: now())
      let token = try key.token(for: target.url.origin, now: now())
      fields[.authorization] = key.authorization(token)
      guard let body = target.cipher.encrypt(payload) else {
        return PushResult(.retry(after: nil, reason: "the push cannot be encrypted"))
      }
      let request = HTTPRequest(fields: fields, body: body)
      return await push(request, on: target, hiding: token)
    } catch {
      return PushResult(.retry(after: nil, reason: "the sender's token cannot be signed: \(error)"))
    }
  }

  private func push(
    _ request: HTTPRequest, on target: WebPushTarget, hiding token: Secret
  ) async -> PushResult {
    guard let attempt = silentHosts.begin(target.url.origin) else {
      return PushResult(
        .retry(after: nil, reason: "\(target.url): no answer yet to another push"))
    }
    do throws(HTTPTransferError) {
      let reply = try await client.send(request, to: target.url)
      silentHosts.end(attempt, .answered)
      return result(reply, hiding: token)
    } catch {
      // In both cases chimed itself ended the attempt, so the state of the host is unknown.
      let endedByChimed = error == .lookupsAreBehind || Task.isCancelled
      silentHosts.end(attempt, endedByChimed ? .unknown : .unanswered)
      return PushResult(.retry(after: nil, reason: "\(target.url): \(error.reason)"))
    }
  }

  private func result(_ reply: HTTPReply, hiding token: Secret) -> PushResult {
    let summary = "the push service answers \(reply.status)"
    let outcome: PushResult.Outcome =
      switch reply.status {
      case 404, 410: .gone(reason: summary)
      case 401, 403:
        .rejected(reason: summary + ": the page must subscribe with the public key of \"key\"")
      default:
        switch reply.verdict(now: now()) {
        case .delivered: .delivered
        case .retry(let after, _): .retry(after: after, reason: summary)
        case .rejected: .rejected(reason: summary)
        }
      }
    return PushResult(outcome, response: reply.response(hiding: [token]))
  }
}

/// The data that a push to a browser needs, read from the device's registration.
private struct WebPushTarget {
  /// A registration to which nothing can be pushed.
  struct RegistrationError: Error {
    /// The fault, as a clause in which "it" is the device.
    let reason: String
  }

  let url: HTTPURL
  let cipher: WebPushCipher

  init(to device: Device) throws(RegistrationError) {
    guard let subscription = device.token.flatMap({ WebPushSubscription(text: $0) }) else {
      throw RegistrationError(reason: "it has no browser subscription")
    }
    do {
      url = try HTTPURL(subscription.endpoint)
    } catch {
      throw RegistrationError(reason: "the endpoint of its subscription \(error)")
    }
    guard let cipher = WebPushCipher(subscription) else {
      throw RegistrationError(
        reason: "its subscription keys are invalid: p256dh is not a point of the curve P-256, "
          + "or auth is not 16 bytes long")
    }
    self.cipher = cipher
  }
}
