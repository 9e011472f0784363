package import CivilTime
import JSON
package import Reminders

/// A delivery in the format for sinks and streams. This type describes and reads the format;
/// `Delivery` writes it with faster code.
package struct DeliveryPayload: Payload {
  package typealias Value = Delivery
  package static let shape = PayloadShape(Self(), as: .delivery)

  package let id = Member("id", .text, "The notification's id, the same on all its channels") {
    $0.identifier
  }
  package let recipient = Member("recipient", .recipient) { $0.recipient }
  package let reminder = Member("reminder", .text) { $0.reminder }
  package let category = Member("category", .text) { $0.category }
  package let channel = Member("channel", .channel) { $0.channel }
  package let title = Member("title", .text) { $0.title }
  package let body = Member("body", .text) { $0.body }
  let silent = Member("silent", optional: .boolean) { $0.isSilent ? true : nil }
  let hints = Member(
    "hints", optional: .payload(HintsPayload.self), "Deviations from the defaults"
  ) { $0.hints.display(on: $0.channel, isSilent: $0.isSilent) }
  let digest = Member("digest", optional: .list(.text), "The reminders of a digest's members") {
    $0.shownMessage.members.isEmpty ? nil : $0.shownMessage.members
  }
  let details = Member("details", optional: .rawObject) {
    $0.shownMessage.details.isEmpty ? nil : Array($0.shownMessage.details.utf8)
  }
  let traceparent = Member(
    "traceparent", optional: .text,
    "The W3C trace context of the event that caused the notification"
  ) { $0.shownMessage.trace?.parent }
  let tracestate = Member("tracestate", optional: .text) { $0.shownMessage.trace?.state }
  let planned = Member("planned", .instant) { $0.planned }
  package let at = Member("at", .instant, "When the notification passed the gates") { $0.at }
}

package struct HintsPayload: Payload {
  package typealias Value = Hints.Display
  package static let shape = PayloadShape(Self())

  let sound = Member("sound", optional: .word) { $0.sound }
  let vibration = Member("vibration", optional: .boolean) { $0.vibration }
  let badge = Member("badge", optional: .boolean) { $0.badge }
  let preview = Member("preview", optional: .word) { $0.preview }
}
