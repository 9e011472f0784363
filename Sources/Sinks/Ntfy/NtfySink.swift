package import CivilTime
internal import HTTPTypes
internal import JSON
package import Outbox
package import Reminders
package import Systemd

/// Publishes each delivery to a topic of an ntfy server.
package final class NtfySink: OverlappingSink {
  package let name: String
  package let type = NtfyConfiguration.type
  package let window = 64
  private let configuration: NtfyConfiguration
  private let slots: Slots
  private let token: Secret?
  private let client: SafeHTTPClient
  private let now: @Sendable () -> Instant

  package init(
    name: String, configuration: NtfyConfiguration, concurrency: Int, token: Secret?,
    client: SafeHTTPClient, now: @escaping @Sendable () -> Instant
  ) {
    self.name = name
    self.configuration = configuration
    slots = Slots(concurrency)
    self.token = token
    self.client = client
    self.now = now
  }

  package func deliver(
    _ deliveries: [Delivery], _ progress: BatchProgress
  ) async throws(SinkOutage) -> [SinkAnswer] {
    try await Handover.all(deliveries, in: slots, progress, on: client.executor) {
      await self.hand($0)
    }
  }

  private func hand(_ delivery: Delivery) async -> Handover {
    guard let topic = configuration.topic.topic(of: delivery.recipient) else {
      return .answered(.rejected(reason: "the recipient's id cannot be part of a topic of ntfy"))
    }
    let message = NtfyMessage(
      delivery, topic: topic, priority: configuration.priority, tags: configuration.tags,
      click: configuration.click)
    let server = configuration.server
    do throws(HTTPFailure) {
      return handover(try await client.send(request(message), to: server))
    } catch {
      switch error {
      case .unreachable(let reason): return .unreachable("\(server): \(reason)")
      case .unanswered(let reason):
        return .answered(.retry(after: nil, reason: "\(server): \(reason)"))
      }
    }
  }

  private func request(_ message: NtfyMessage) -> HTTPRequest {
    var fields: HTTPFields = [.contentType: "application/json", .userAgent: "chimed"]
    if let token { fields[.authorization] = "Bearer \(token.reveal())" }
    return HTTPRequest(fields: fields, body: message.json)
  }

  private func handover(_ reply: HTTPReply) -> Handover {
    // What is refused to all of us will be given once somebody has mended the token.
    if reply.status == 401 {
      return .unreachable(
        "\(configuration.server): it does not take what we show it (401); look at \"token\"")
    }
    return .answered(
      SinkAnswer(verdict(reply), response: reply.response(hiding: token.map { [$0] } ?? [])))
  }

  private func verdict(_ reply: HTTPReply) -> SinkAnswer.Verdict {
    // Rights are given by topic, so that others may be free to publish to.
    guard reply.status == 403 else { return reply.verdict(now: now()) }
    return .rejected(
      reason: "403: it does not let us publish to that topic; look at the rights of \"token\"")
  }
}

/// What is published to ntfy: an object of JSON, which holds any character.
package struct NtfyMessage: Sendable {
  /// Longer messages become attachments, which phones do not show.
  private static let messageByteCountMax = 4_096

  package enum Priority: Int, Sendable {
    /// No sound, no vibration.
    case low = 2
    case normal = 3
    case high = 4
  }

  package let json: [UInt8]

  package init(
    _ delivery: Delivery, topic: String, priority: Priority, tags: [String], click: String?
  ) {
    let isSilent = delivery.isSilent || delivery.hints.contains(.noSound)
    let body = delivery.body
    var writer = JSONWriter(reservingCapacity: 512)
    writer.beginObject()
    writer.member("topic", topic)
    if NtfyTopic.isName(delivery.identifier) {
      // A repetition takes the place of the first on phones; older servers pass over it.
      writer.member("sequence_id", delivery.identifier)
    }
    if !body.isEmpty { writer.member("title", delivery.title) }
    // An empty message would be filled in by the server.
    writer.member("message", Self.cut(body.isEmpty ? delivery.title : body))
    writer.member("priority", (isSilent ? Priority.low : priority).rawValue)
    if !tags.isEmpty { writer.member("tags", .array(tags.map { .string($0) })) }
    if let click { writer.member("click", click) }
    writer.endObject()
    json = writer.take()
  }

  /// Shortens a text between two characters.
  private static func cut(_ text: String) -> String {
    guard text.utf8.count > messageByteCountMax else { return text }
    var count = 0
    let beginning = text.prefix { character in
      count += character.utf8.count
      return count <= messageByteCountMax - "…".utf8.count
    }
    return beginning + "…"
  }
}
