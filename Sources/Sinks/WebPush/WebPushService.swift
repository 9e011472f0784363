package import CivilTime
internal import HTTPTypes
internal import Outbox
package import Reminders
internal import Systemd

/// The push services of browsers, each reached at the endpoint that it gave the browser.
///
/// Whoever has a token for one person chooses an endpoint, and so where this service connects to.
/// What becomes of one is therefore said of that device alone: nobody can hold up the others by a
/// host that is not there.
package struct WebPushService: PushService {
  package let type = WebPushConfiguration.type
  package let platforms: Set = ["web"]
  private let key: VAPIDKey
  private let client: SafeHTTPClient
  private let now: @Sendable () -> Instant

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
    guard let subscription = device.token.flatMap({ WebPushSubscription(text: $0) }),
      let cipher = WebPushCipher(subscription), let url = try? HTTPURL(subscription.endpoint)
    else { return PushResult(.gone(reason: "its subscription has no endpoint or no keys")) }
    let message = WebPushMessage(delivery)
    guard let payload = message.payload else {
      return PushResult(.rejected(reason: "it is too long for a push even without its text"))
    }
    do {
      var fields = message.fields(now: now())
      fields[.authorization] = try key.authorization(for: url.origin, now: now())
      let request = HTTPRequest(fields: fields, body: try cipher.encrypt(payload))
      return result(try await client.send(request, to: url), subscription)
    } catch let failure as HTTPFailure {
      return PushResult(.retry(after: nil, reason: "\(url): \(failure.reason)"))
    } catch {
      return PushResult(.rejected(reason: "it cannot be encrypted: \(error)"))
    }
  }

  private func result(_ reply: HTTPReply, _ subscription: WebPushSubscription) -> PushResult {
    let name = "the push service answers \(reply.status)"
    let outcome: PushResult.Outcome =
      switch reply.status {
      case 404, 410: .gone(reason: name)
      case 401, 403:
        .rejected(reason: name + ": see that the page subscribed with the public key of \"key\"")
      default:
        switch reply.verdict(now: now()) {
        case .delivered: .delivered
        case .retry(let after, _): .retry(after: after, reason: name)
        case .rejected: .rejected(reason: name)
        }
      }
    return PushResult(
      outcome, response: reply.response(hiding: [Secret(subscription.endpoint)]))
  }
}

extension HTTPURL {
  /// As RFC 6454 writes it.
  var origin: String { port == (isSecure ? 443 : 80) ? description : "\(description):\(port)" }
}
