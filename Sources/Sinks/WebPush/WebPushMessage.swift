import CivilTime
internal import HTTPTypes
internal import JSON
package import Reminders

/// The message for a page's service worker, and its headers for the push service (RFC 8030).
package struct WebPushMessage: Sendable {
  private let delivery: Delivery

  /// The longest time in seconds that push services keep a message: four weeks.
  private static let timeToLiveMax: Int64 = 2_419_200

  package init(_ delivery: Delivery) {
    self.delivery = delivery
  }

  /// The message, with its body shortened if necessary; nil if the message is too long even without
  /// the body.
  package var payload: [UInt8]? {
    PushText.fit(delivery.body, into: WebPushCipher.bytesMax) { body in
      let message = delivery.shownMessage
      var writer = JSONWriter(reservingCapacity: 1_024)
      writer.beginObject()
      writer.member("id", delivery.identifier)
      if delivery.isFetched {
        writer.member("text", "fetch")
      } else {
        writer.member("reminder", message.reminder)
        writer.member("category", message.category)
      }
      writer.member("title", delivery.title)
      if !delivery.isFetched { writer.member("body", body) }
      if !delivery.isNoisy { writer.member("silent", true) }
      if !message.details.isEmpty {
        writer.key(constant: "details")
        writer.raw(Array(message.details.utf8))
      }
      let actions = message.buttons.map(\.button)
      if !actions.isEmpty { writer.member("actions", .array(actions)) }
      if !message.members.isEmpty {
        writer.member("digest", .array(message.members.map { .string($0) }))
      }
      writer.endObject()
      return writer.bytes
    }
  }

  /// Returns the headers for the push service. Because of the topic, a repeated message replaces
  /// the first one if the push service still stores the first one.
  func fields(now: Instant) -> HTTPFields {
    let timeToLive = min(max(0, (delivery.expiry - now).milliseconds / 1_000), Self.timeToLiveMax)
    return [
      .contentType: "application/octet-stream", .contentEncoding: "aes128gcm",
      .userAgent: "chimed", Self.ttl: "\(timeToLive)", Self.urgency: urgency,
      Self.topic: PushIdentity.topic(delivery),
    ]
  }

  private var urgency: String {
    if delivery.isUnobtrusive { return "low" }
    return delivery.urgency >= .high ? "high" : "normal"
  }

  private static let ttl = HTTPField.Name("TTL") ?? .age
  private static let urgency = HTTPField.Name("Urgency") ?? .age
  private static let topic = HTTPField.Name("Topic") ?? .age
}
