package import CivilTime
package import Engine
import JSON
package import Reminders

/// A page of a recipient's past notifications.
package struct NotificationPagePayload: Payload {
  package typealias Value = NotificationHistory
  package static let shape = PayloadShape(Self(), as: .notificationPage)

  package let recipient = Member("recipient", .recipient) { $0.recipient }
  package let zone = Member("zone", .text) { $0.zone.name }
  package let now = Member("now", .instant) { $0.now }
  package let notifications = Member("notifications", .list(.payload(NotificationPayload.self))) {
    history in
    history.entries.lazy.map { Zoned($0, in: history.zone) }
  }
  package let next = Member("next", orNull: .text, "The \"after\" of the next page") {
    $0.next.map(String.init)
  }
  package let caughtUp = Members(CaughtUpPayload.self) { $0.isCaughtUp }
}

package struct NotificationPayload: Payload {
  package typealias Value = Zoned<NotificationHistory.Entry>
  package static let shape = PayloadShape(Self())

  package let id = Member("id", .text) { $0.content.identifier }
  package let reminder = Member("reminder", .text) { $0.content.message.reminder }
  package let category = Member("category", .text) { $0.content.message.category }
  package let channels = Member("channels", .list(.channel)) { $0.content.channels.channels }
  package let title = Member("title", .text) { $0.content.message.title }
  package let body = Member("body", .text) { Texts.shown($0.content.message.body) }
  package let at = Member("at", .instant) { $0.content.at }
  package let local = Member("local", .localTime) { $0.local($0.content.at) }
  package let planned = Member("planned", .instant) { $0.content.planned }
  package let outcome = Member("outcome", .word) { $0.content.state }
  package let reasons = Member("reasons", .reasons) { $0.content.reasons }
  package let deliveries = Member(
    "deliveries", .list(.payload(NotificationDeliveryPayload.self)),
    "The outcome on each channel"
  ) { entry in entry.content.deliveries.map { Zoned($0, in: entry.zone) } }
  package let silent = Member("silent", .boolean) { $0.content.isSilent }
  package let dismissed = Member("dismissed", .boolean) { $0.content.isDismissed }
  package let read = Member("read", orNull: .boolean, "Null if not in the inbox") {
    $0.content.isRead
  }
  let details = Member("details", optional: .object) { entry -> JSONObject? in
    let details = entry.content.message.detailsObject
    return details.isEmpty || Texts.areHidden ? nil : details
  }
  let digest = Member(
    "digest", optional: .list(.text),
    "The reminders of a digest's members; absent for other notifications"
  ) { $0.content.message.memberReminders }
}

/// The outcome of a notification on a channel. "accepted" means that a delivery service accepted
/// the notification, or that it is in the inbox.
package struct NotificationDeliveryPayload: Payload {
  package typealias Value = Zoned<DeliveryHistory>
  package static let shape = PayloadShape(Self())

  package let channel = Member("channel", .channel) { $0.content.channel }
  package let outcome = Member("outcome", .word) { $0.content.state }
  package let planned = Member("planned", .instant) { $0.content.planned }
  package let at = Member("at", .instant) { $0.content.at }
  package let local = Member("local", .localTime) { $0.local($0.content.at) }
  package let reasons = Member("reasons", .reasons) { $0.content.reasons }
  package let obstacle = Member(
    "obstacle", optional: .text, "The error of the sink or service that did not deliver it"
  ) { $0.content.obstacle }
}

struct DismissedPayload: Payload {
  struct Value {
    /// The number of notifications that the request has dismissed.
    let count: Int
    /// The number on the app's icon; nil if the recipient's badge is off.
    let badge: Int?
  }

  static let shape = PayloadShape(Self())

  let dismissed = Member("dismissed", .count) { $0.count }
  let badge = Member("badge", optional: .count, "Absent if the recipient's badge is off") {
    $0.badge
  }
}

struct BadgePayload: Payload {
  typealias Value = Int
  static let shape = PayloadShape(Self())

  let badge = Member("badge", .count) { $0 }
}

extension Message {
  /// The details as a JSON object; empty if there are none.
  var detailsObject: JSONObject {
    guard !details.isEmpty else { return JSONObject() }
    return (try? JSONParser.parse(details))?.objectValue ?? JSONObject()
  }
}
