import JSON
package import Reminders

/// A message in ntfy's JSON format.
package struct NtfyMessage: Sendable {
  /// The maximum size of a message in bytes: longer ones become attachments, which phones do not
  /// show.
  private static let messageByteCountMax = 4_096
  /// The maximum number of actions of a message.
  private static let actionsMax = 3

  package enum Priority: Int, Sendable {
    /// Shown without sound and vibration.
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
      // On phones, a repeated notification replaces the first one with this id. Older servers
      // ignore the id.
      writer.member("sequence_id", delivery.identifier)
    }
    if !body.isEmpty { writer.member("title", delivery.title) }
    // The server would replace an empty message by a text of its own.
    writer.member("message", Self.shortened(body.isEmpty ? delivery.title : body))
    writer.member("priority", (isSilent ? Priority.low : priority).rawValue)
    if !tags.isEmpty { writer.member("tags", .array(tags.map { .string($0) })) }
    if let click { writer.member("click", click) }
    let actions = delivery.shownMessage.buttons.compactMap(Self.action)
    if !actions.isEmpty {
      writer.member("actions", .array(Array(actions.prefix(Self.actionsMax))))
    }
    writer.endObject()
    json = writer.removeBytes()
  }

  /// Returns a button that performs an action and then clears the notification; nil without a link.
  private static func action(_ action: OfferedAction) -> JSONValue? {
    action.url.map { url in
      [
        "action": "http", "label": .string(action.title), "url": .string(url), "method": "POST",
        "clear": true,
      ]
    }
  }

  /// Shortens a text that is too long, without splitting a character.
  private static func shortened(_ text: String) -> String {
    guard text.utf8.count > messageByteCountMax else { return text }
    var count = 0
    let beginning = text.prefix { character in
      count += character.utf8.count
      return count <= messageByteCountMax - "…".utf8.count
    }
    return beginning + "…"
  }
}
