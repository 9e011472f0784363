package import CivilTime
internal import JSON
package import Reminders

/// What Apple is asked to show on one device.
package struct APNsNotification: Sendable {
  private let delivery: Delivery
  private let device: Device
  private let manner: APNsManner

  /// How long a payload may be.
  package static let bytesMax = 4_096

  package init(_ delivery: Delivery, to device: Device) {
    self.delivery = delivery
    self.device = device
    manner = APNsManner(delivery)
  }

  package func headers(
    topic: String, bearer: String, now: Instant
  ) -> [(name: String, value: String)] {
    manner.headers(now: now) + [
      ("apns-id", PushIdentity.universal(delivery, device)), ("apns-topic", topic),
      ("authorization", "bearer \(bearer)"), ("content-type", "application/json"),
    ]
  }

  /// Nil if it is too long even without its body.
  package func payload(tone: String?) -> [UInt8]? {
    PushText.fit(delivery.body, into: Self.bytesMax) { body in
      var writer = JSONWriter(reservingCapacity: 1_024)
      writer.beginObject()
      writer.key(constant: "aps")
      writer.beginObject()
      if !manner.isBackground { writeAlert(body, to: &writer) }
      manner.writeAspects(tone: tone, to: &writer)
      writer.endObject()
      writeData(to: &writer)
      writer.endObject()
      return writer.bytes
    }
  }

  private func writeAlert(_ body: String, to writer: inout JSONWriter) {
    writer.key(constant: "alert")
    writer.beginObject()
    writer.member("title", delivery.title)
    if !body.isEmpty { writer.member("body", body) }
    writer.endObject()
  }

  /// For the app.
  private func writeData(to writer: inout JSONWriter) {
    let message = delivery.message
    writer.member("id", delivery.identifier)
    writer.member("reminder", message.reminder)
    writer.member("category", message.category)
    if !message.details.isEmpty {
      writer.key(constant: "details")
      writer.raw(Array(message.details.utf8))
    }
    guard !message.members.isEmpty else { return }
    writer.key(constant: "digest")
    writer.beginArray()
    for reminder in message.members { writer.value(reminder) }
    writer.endArray()
  }
}

/// How Apple is to treat a notification.
package struct APNsManner: Sendable {
  private let delivery: Delivery

  package init(_ delivery: Delivery) {
    self.delivery = delivery
  }

  /// Whether there is nothing for people to see.
  var isBackground: Bool { delivery.title.isEmpty && delivery.body.isEmpty }

  /// The headers that say how it is delivered; those of device and sender are not among them.
  func headers(now: Instant) -> [(name: String, value: String)] {
    [
      ("apns-push-type", isBackground ? "background" : "alert"),
      ("apns-priority", isBackground || delivery.isUnobtrusive ? "5" : "10"),
      ("apns-collapse-id", PushIdentity.collapse(delivery)),
      ("apns-expiration", expiration(now: now)),
    ]
  }

  /// The last second at which it is worth showing; 0, now or never, if that is over.
  private func expiration(now: Instant) -> String {
    delivery.expiry <= now ? "0" : "\(delivery.expiry.seconds)"
  }

  /// Writes the members of `aps` beside the alert.
  ///
  /// - Parameter tone: the sound, in the app, for people who chose one of their own.
  func writeAspects(tone: String?, to writer: inout JSONWriter) {
    guard !isBackground else { return writer.member("content-available", 1) }
    if delivery.isNoisy {
      writer.member("sound", delivery.hints.contains(.customTone) ? tone ?? "default" : "default")
    }
    writer.member("category", delivery.category)
    writer.member("thread-id", delivery.category)
    writer.member("interruption-level", interruptionLevel)
  }

  /// An app that is not entitled to `time-sensitive` shows it as `active`. What Apple calls
  /// critical needs a leave that few apps have, so nothing is.
  private var interruptionLevel: String {
    if delivery.isUnobtrusive { return "passive" }
    return delivery.urgency >= .high ? "time-sensitive" : "active"
  }
}
