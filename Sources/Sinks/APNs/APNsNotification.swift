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
    let caption = delivery.caption
    writer.member("id", delivery.identifier)
    writer.member("reminder", caption.reminder)
    writer.member("category", caption.category)
    if !caption.details.isEmpty {
      writer.key(constant: "details")
      writer.raw(Array(caption.details.utf8))
    }
    guard !caption.members.isEmpty else { return }
    writer.key(constant: "digest")
    writer.beginArray()
    for reminder in caption.members { writer.value(reminder) }
    writer.endArray()
  }
}
