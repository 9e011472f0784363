internal import JSON
package import Reminders

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
