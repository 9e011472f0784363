package import CivilTime
internal import JSON
package import Reminders

/// A notification for one device in Apple's format.
package struct APNsNotification: Sendable {
  private let delivery: Delivery
  private let device: Device
  private let presentation: APNsPresentation

  /// The maximum size of a payload in bytes.
  package static let bytesMax = 4_096

  package init(_ delivery: Delivery, to device: Device) {
    self.delivery = delivery
    self.device = device
    presentation = APNsPresentation(delivery)
  }

  package func headers(
    topic: String, bearer: String, now: Instant
  ) -> [(name: String, value: String)] {
    presentation.headers(now: now) + [
      ("apns-id", PushIdentity.uuid(delivery, device)), ("apns-topic", topic),
      ("authorization", "bearer \(bearer)"), ("content-type", "application/json"),
    ]
  }

  /// Returns the payload, with its body shortened if necessary; nil if the payload is too long even
  /// without the body.
  package func payload(tone: String?) -> [UInt8]? {
    PushText.fit(delivery.body, into: Self.bytesMax) { body in
      var writer = JSONWriter(reservingCapacity: 1_024)
      writer.beginObject()
      writer.key(constant: "aps")
      writer.beginObject()
      if !presentation.isBackground { writeAlert(body, to: &writer) }
      presentation.writeAspects(tone: tone, to: &writer)
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

  /// Writes the members that the app reads.
  private func writeData(to writer: inout JSONWriter) {
    let message = delivery.shownMessage
    writer.member("id", delivery.identifier)
    guard !delivery.isWithdrawal else { return writer.member("withdrawn", true) }
    guard !delivery.isFetched else { return writer.member("text", "fetch") }
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
