package import CivilTime
internal import HTTPTypes
package import Outbox
package import Reminders
internal import Synchronization
internal import Systemd

/// Sends each delivery to a URL, signed by Standard Webhooks 1.0.
///
/// A reply of 410 disables the sink: nothing more is sent, and every delivery is rejected and uses
/// the next sink of its route. A resumption of the sink, a reload or a start enables it again. The
/// journal and the status report that it is disabled.
package final class WebhookSink: AnalyticsSink, OverlappingSink {
  package let name: String
  package let type = WebhookConfiguration.type
  package let window = 256
  package let canWithdraw = true
  private let url: HTTPURL
  private let secrets: [WebhookSecret]
  /// The source of the events; nil for the default.
  private let source: String?
  /// How long after its `time` a message is retried if the reply has a status of `temporary4xx`.
  private let retry4xx: TimeSpan
  private let semaphore: AsyncSemaphore
  private let client: SafeHTTPClient
  private let surroundings: SinkEnvironment
  /// Whether a reply of 410 has disabled the sink.
  private let isGone = Atomic(false)

  package init(
    name: String, url: HTTPURL, secrets: [WebhookSecret], source: String? = nil,
    retry4xx: TimeSpan = WebhookConfiguration.retry4xxDefault, concurrency: Int,
    client: SafeHTTPClient, surroundings: SinkEnvironment
  ) {
    self.name = name
    self.url = url
    self.secrets = secrets
    self.source = source
    self.retry4xx = retry4xx
    semaphore = AsyncSemaphore(concurrency)
    self.client = client
    self.surroundings = surroundings
  }

  package func deliver(
    _ deliveries: [Delivery], _ progress: BatchProgress
  ) async throws(SinkOutage) -> [SinkAnswer] {
    try await SendResult.sendAll(deliveries, in: semaphore, progress, on: client.executor) {
      await self.transmit(WebhookMessage($0, source: self.source))
    }
  }

  package func deliver(_ events: [AnalyticsItem]) async throws(SinkOutage) -> [SinkAnswer] {
    let start = ContinuousClock.now
    return try await deliverInOrder(
      events, until: { start.isLongAgo },
      by: { event async throws(SinkOutage) in
        switch await transmit(WebhookMessage(event, source: source)) {
        case .answered(let answer): return answer
        case .unreachable(let reason): throw SinkOutage(reason)
        }
      })
  }

  private func transmit(_ message: WebhookMessage) async -> SendResult {
    guard !isGone.load(ordering: .relaxed) else { return .answered(goneAnswer) }
    do throws(HTTPTransferError) {
      return .answered(answer(try await client.send(request(message), to: url), to: message))
    } catch {
      switch error {
      case .unreachable(let reason): return .unreachable("\(url): \(reason)")
      case .unanswered(let reason):
        return .answered(.retry(after: nil, reason: "\(url): \(reason)"))
      }
    }
  }

  private func request(_ message: WebhookMessage) -> HTTPRequest {
    let seconds = surroundings.now().seconds
    let signatures = secrets.map {
      $0.signature(of: message.body, identifier: message.identifier, seconds: seconds)
    }
    var fields = Self.fields
    fields[Self.identifier] = message.identifier
    fields[Self.timestamp] = String(seconds)
    fields[Self.signature] = signatures.joined(separator: " ")
    fields.carry(message.trace)
    return HTTPRequest(fields: fields, body: message.body)
  }

  private static let fields: HTTPFields = [
    .contentType: "application/cloudevents+json; charset=utf-8", .userAgent: "chimed",
  ]
  private static let identifier = HTTPField.Name("webhook-id") ?? .authorization
  private static let timestamp = HTTPField.Name("webhook-timestamp") ?? .authorization
  private static let signature = HTTPField.Name("webhook-signature") ?? .authorization

  private func answer(_ reply: HTTPReply, to message: WebhookMessage) -> SinkAnswer {
    if reply.status == 410 { disable() }
    return SinkAnswer(
      reply.status == 410 ? goneAnswer.verdict : verdict(on: message, reply),
      response: reply.response())
  }

  private func verdict(on message: WebhookMessage, _ reply: HTTPReply) -> SinkAnswer.Verdict {
    let now = surroundings.now()
    switch reply.verdict(now: now) {
    case .delivered: return .delivered
    case .retry(let after, _): return .retry(after: after, reason: reply.originAndStatus)
    case .rejected(let reason) where (300..<400).contains(reply.status):
      return .rejected(reason: "\(url): \(reason)")
    case .rejected:
      let mayPass = Self.temporary4xx.contains(reply.status) && now < message.time + retry4xx
      return mayPass
        ? .retry(after: reply.retryAfter(now: now), reason: reply.originAndStatus)
        : .rejected(reason: reply.originAndStatus)
    }
  }

  /// The statuses of a receiver that is being deployed, or of its proxy. The receiver may not know
  /// the path, the secret or the host yet, or the resource may be locked. The status 425 is retried
  /// in any case.
  private static let temporary4xx: Set = [401, 403, 404, 421, 423, 425]

  package var whyDisabled: String? {
    guard isGone.load(ordering: .relaxed) else { return nil }
    return "410: \(url) is gone for good; \(remedy)"
  }

  private var remedy: String {
    "remove the sink from the routes, or once the URL works again: chimectl sinks resume \(name)"
  }

  private var goneAnswer: SinkAnswer {
    .rejected(
      reason: "410: \(url) is gone; nothing is sent to it until the sink is resumed, or chimed "
        + "reloads or restarts")
  }

  package func enable() { isGone.store(false, ordering: .relaxed) }

  package func prepareForReload() throws { enable() }

  private func disable() {
    guard !isGone.exchange(true, ordering: .relaxed) else { return }
    surroundings.journal.send(
      .sinkFailing,
      "The sink \(name) is disabled: \(url) answers that it is gone for good (410). Deliveries go "
        + "on to the next sink of their route; \(remedy).",
      fields: [(.sink, name), (.reason, "410: gone")])
  }
}
