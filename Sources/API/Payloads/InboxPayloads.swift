package import CivilTime
package import Engine
import JSON
import Reminders

/// A page of a recipient's inbox, the latest item first (rule N11).
package struct InboxPagePayload: PagePayload {
  package struct Value {
    let recipient: String
    let page: InboxPage
  }

  package static let shape = PayloadShape(Self(), as: .inboxPage)

  package let recipient = Member("recipient", .recipient) { $0.recipient }
  package let zone = Member("zone", .text) { $0.page.zone.name }
  package let unread = Member("unread", .count, "The unread items of the whole inbox") {
    $0.page.counts.unread
  }
  package let count = Member("count", .count, "The items of the whole inbox") {
    $0.page.counts.items
  }
  package let items = Member("items", .list(.payload(InboxItemPayload.self))) { value in
    value.page.items.lazy.map { Zoned($0, in: value.page.zone) }
  }
  package let next = Member("next", orNull: .text, "The \"after\" of the next page") {
    $0.page.next.map(String.init)
  }
}

package struct InboxItemPayload: Payload {
  package typealias Value = Zoned<InboxPage.Item>
  package static let shape = PayloadShape(Self(), as: .inboxItem)

  package let id = Member("id", .text) { $0.content.identifier }
  package let reminder = Member("reminder", .text) { $0.content.message.reminder }
  package let category = Member("category", .text) { $0.content.message.category }
  package let title = Member("title", .text) { $0.content.message.title }
  package let body = Member("body", .text) { Texts.shown($0.content.message.body) }
  package let at = Member("at", .instant) { $0.content.at }
  package let local = Member("local", .localTime) { $0.local($0.content.at) }
  package let read = Member("read", .boolean) { $0.content.isRead }
  let details = Member(
    "details", optional: .object,
    "Data for the app's own client, such as deepLink, actor and actions"
  ) { item -> JSONObject? in
    let details = item.content.message.detailsObject
    return details.isEmpty || Texts.areHidden ? nil : details
  }
  let digest = Member(
    "digest", optional: .list(.text),
    "The reminders of a digest's members; absent if the item is no digest"
  ) { $0.content.message.memberReminders }
}

struct InboxCountPayload: Payload {
  struct Value {
    let counts: InboxCounts
    /// The number on the app's icon; nil if the recipient's badge is off.
    let badge: Int?
  }

  static let shape = PayloadShape(Self())

  let unread = Member("unread", .count) { $0.counts.unread }
  let count = Member("count", .count, "All items") { $0.counts.items }
  let badge = Member("badge", optional: .count, "Absent if the recipient's badge is off") {
    $0.badge
  }
}
