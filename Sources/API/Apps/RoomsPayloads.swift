import Engine
import JSON
import Reminders

/// A page in the format of the rooms app (rule N1).
package struct RoomsPagePayload: Payload {
  package struct Value {
    let page: InboxPage
    /// The number of the page; the first is 1.
    let number: Int
    /// The maximum number of items on a page.
    let limit: Int

    fileprivate var pageCount: Int { (page.counts.items + limit - 1) / limit }
  }

  package static let shape = PayloadShape(Self(), as: .roomsPage)

  package let data = Member("data", .list(.payload(RoomsItemPayload.self))) {
    $0.page.items.lazy.map { RoomsItemPayload.Value($0) }
  }
  package let meta = Member("meta", .payload(RoomsMetaPayload.self)) { $0 }
}

package struct RoomsMetaPayload: Payload {
  package typealias Value = RoomsPagePayload.Value
  package static let shape = PayloadShape(Self())

  package let totalCount = Member("totalCount", .count) { $0.page.counts.items }
  package let page = Member("page", .count) { $0.number }
  package let limit = Member("limit", .count) { $0.limit }
  package let totalPages = Member("totalPages", .count) { $0.pageCount }
  package let hasNextPage = Member("hasNextPage", .boolean) { $0.number < $0.pageCount }
  package let hasPrevPage = Member("hasPrevPage", .boolean) { $0.number > 1 }
}

/// An item of the inbox. An app that requests a notification may give its `actor` and `deepLink`
/// any form.
package struct RoomsItemPayload: Payload {
  package struct Value {
    let item: InboxPage.Item
    /// The details of the item's event; empty if texts are hidden.
    let details: JSONObject

    /// Hides the details together with the texts, because the details of the event may repeat the
    /// notification's text.
    init(_ item: InboxPage.Item) {
      self.item = item
      details = Texts.areHidden ? JSONObject() : item.message.detailsObject
    }
  }

  package static let shape = PayloadShape(Self(), as: .roomsItem, allowsOtherMembers: true)

  package let id = Member("id", .text) { $0.item.identifier }
  package let type = Member("type", .text, "The category") { $0.item.message.category }
  package let displayText = Member("displayText", .text) { Texts.shown($0.item.message.body) }
  package let isRead = Member("isRead", .boolean) { $0.item.isRead }
  package let createdAt = Member("createdAt", .instant) { $0.item.at }
  let actor = Member("actor", .any, "The person who acted: id, username, firstName, avatarUrl") {
    $0.details["actor"]?.ordered(["id", "username", "firstName", "avatarUrl"]) ?? .null
  }
  let deepLink = Member("deepLink", .any, "The target of a tap: type, roomId, actorId") {
    $0.details["deepLink"]?.ordered(["type", "roomId", "actorId"])
      ?? ["type": "none", "roomId": nil, "actorId": nil]
  }
  /// The other details of the event, which have no member in this type.
  let others = OtherDetails()
  let thumbnails = Member("thumbnails", .json(thumbnailsSchema)) {
    .array(($0.details["thumbnails"]?.arrayValue ?? []).map { $0.ordered(["url", "type"]) })
  }
  let batchCount = Member("batchCount", .json(.count)) { $0.details["batchCount"] ?? 1 }

  private static let thumbnailsSchema = Schema.list(
    .object(.init("url", .text), .init("type", .text)), atMost: 5)
}

/// Further details of the event, which are passed on unchanged.
struct OtherDetails: FieldSource {
  private static let namedMembers = ["actor", "deepLink", "thumbnails", "batchCount"]

  let fields: [PayloadField<RoomsItemPayload.Value>] = [
    PayloadField(name: "roomName", schema: { .text }, isRequired: false, write: write),
    PayloadField(name: "isFollowingBack", schema: { .boolean }, isRequired: false, write: skip),
  ]

  /// Writes all further details, not only `roomName`.
  @Sendable private static func write(
    _ value: RoomsItemPayload.Value, to writer: inout JSONWriter
  ) {
    for member in value.details where !namedMembers.contains(member.key) {
      writer.key(member.key)
      writer.value(member.value)
    }
  }

  /// Writes nothing, because `write` has written the detail already.
  @Sendable private static func skip(
    _ value: RoomsItemPayload.Value, to writer: inout JSONWriter
  ) {}
}

extension JSONValue {
  /// Returns the object with the given members first.
  fileprivate func ordered(_ names: [String]) -> JSONValue {
    guard let object = objectValue else { return self }
    var ordered = JSONObject()
    for name in names { ordered[name] = object[name] }
    for member in object where !names.contains(member.key) { ordered[member.key] = member.value }
    return .object(ordered)
  }
}

// MARK: - Unread and read

struct UnreadPayload: Payload {
  typealias Value = Int
  static let shape = PayloadShape(Self())

  let data = Member("data", .payload(UnreadCountPayload.self)) { $0 }
}

struct UnreadCountPayload: Payload {
  typealias Value = Int
  static let shape = PayloadShape(Self())

  let unreadCount = Member("unreadCount", .count) { $0 }
}

struct ReadPayload: Payload {
  typealias Value = Int
  static let shape = PayloadShape(Self())

  let data = Member("data", .payload(ReadCountPayload.self)) { $0 }
}

struct ReadCountPayload: Payload {
  typealias Value = Int
  static let shape = PayloadShape(Self())

  let message = Member("message", .text) { _ in "Notifications marked as read" }
  let count = Member("count", .count) { $0 }
}

struct AllReadPayload: Payload {
  typealias Value = Void
  static let shape = PayloadShape(Self())

  let data = Member("data", .payload(AllReadMessagePayload.self)) { _ in }
}

struct AllReadMessagePayload: Payload {
  typealias Value = Void
  static let shape = PayloadShape(Self())

  let message = Member("message", .text) { _ in "All notifications marked as read" }
}
