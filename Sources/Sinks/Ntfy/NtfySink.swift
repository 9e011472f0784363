package import CivilTime
package import Cryptography
internal import HTTPTypes
package import Outbox
package import Reminders

/// Publishes each delivery to a topic of an ntfy server.
package final class NtfySink: OverlappingSink {
  package let name: String
  package let type = NtfyConfiguration.type
  package let window = 64
  package let canWithdraw = true
  private let configuration: NtfyConfiguration
  private let semaphore: AsyncSemaphore
  private let token: Secret?
  private let client: SafeHTTPClient
  private let now: @Sendable () -> Instant

  package init(
    name: String, configuration: NtfyConfiguration, concurrency: Int, token: Secret?,
    client: SafeHTTPClient, now: @escaping @Sendable () -> Instant
  ) {
    self.name = name
    self.configuration = configuration
    semaphore = AsyncSemaphore(concurrency)
    self.token = token
    self.client = client
    self.now = now
  }

  package func deliver(
    _ deliveries: [Delivery], _ progress: BatchProgress
  ) async throws(SinkOutage) -> [SinkAnswer] {
    try await SendResult.sendAll(deliveries, in: semaphore, progress, on: client.executor) {
      await self.send($0)
    }
  }

  private func send(_ delivery: Delivery) async -> SendResult {
    guard let topic = configuration.topic.topic(of: delivery.recipient) else {
      return .answered(.rejected(reason: "the recipient's id cannot be part of an ntfy topic"))
    }
    guard !delivery.isWithdrawal else { return await withdraw(delivery, from: topic) }
    let message = NtfyMessage(
      delivery, topic: topic, priority: configuration.priority, tags: configuration.tags,
      click: configuration.click)
    return await send(request(message.json), to: configuration.server, delivery)
  }

  /// Deletes a notification from the recipient's phones. Servers older than 2.16 refuse that.
  private func withdraw(_ delivery: Delivery, from topic: String) async -> SendResult {
    guard NtfyTopic.isName(delivery.identifier),
      let url = configuration.server.appending("\(topic)/\(delivery.identifier)", method: .delete)
    else {
      return .answered(.rejected(reason: "the notification's id cannot be part of an ntfy URL"))
    }
    return await send(request([]), to: url, delivery)
  }

  private func send(
    _ request: HTTPRequest, to url: HTTPURL, _ delivery: Delivery
  ) async -> SendResult {
    let server = configuration.server
    do throws(HTTPTransferError) {
      return result(try await client.send(request, to: url), delivery)
    } catch {
      switch error {
      case .unreachable(let reason): return .unreachable("\(server): \(reason)")
      case .unanswered(let reason):
        return .answered(.retry(after: nil, reason: "\(server): \(reason)"))
      }
    }
  }

  private func request(_ body: [UInt8]) -> HTTPRequest {
    var fields: HTTPFields = [.contentType: "application/json", .userAgent: "chimed"]
    if let token { fields[.authorization] = "Bearer \(token.reveal())" }
    return HTTPRequest(fields: fields, body: body)
  }

  private func result(_ reply: HTTPReply, _ delivery: Delivery) -> SendResult {
    // A refused token concerns all deliveries, which can be sent when the token has been renewed.
    if reply.status == 401 {
      return .unreachable(
        "\(configuration.server): it refuses the access token (401); check \"token\"")
    }
    // The server repeats the message, whose links are credentials.
    let links = delivery.shownMessage.actions.compactMap(\.url).map { Secret($0) }
    return .answered(
      SinkAnswer(
        verdict(reply), response: reply.response(hiding: links + (token.map { [$0] } ?? []))))
  }

  private func verdict(_ reply: HTTPReply) -> SinkAnswer.Verdict {
    // Access is granted by topic, so deliveries to other topics may be accepted.
    guard reply.status == 403 else { return reply.verdict(now: now()) }
    return .rejected(
      reason: "403: publishing to that topic is not permitted; check the access of \"token\"")
  }
}
