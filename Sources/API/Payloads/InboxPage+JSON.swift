import CivilTime
import Engine
import JSON
import Reminders

extension InboxPage {
  /// Writes the page as the rooms app has it (rule N1).
  ///
  /// - Parameter number: from 1.
  func write(number: Int, limit: Int, to writer: inout JSONWriter) {
    let pages = (counts.items + limit - 1) / limit
    writer.beginObject()
    writer.key(constant: "data")
    writer.beginArray()
    for item in items { item.write(to: &writer) }
    writer.endArray()
    writer.key(constant: "meta")
    writer.beginObject()
    writer.member("totalCount", counts.items)
    writer.member("page", number)
    writer.member("limit", limit)
    writer.member("totalPages", pages)
    writer.member("hasNextPage", number < pages)
    writer.member("hasPrevPage", number > 1)
    writer.endObject()
    writer.endObject()
  }
}

extension InboxPage.Item {
  /// The members that have a place of their own; others are passed on as they are.
  private static let placed = ["actor", "deepLink", "thumbnails", "batchCount"]

  fileprivate func write(to writer: inout JSONWriter) {
    let details = caption.detailsObject
    writer.beginObject()
    writer.member("id", identifier)
    writer.member("type", caption.category)
    writer.member("displayText", Texts.shown(caption.body))
    writer.member("isRead", isRead)
    writer.member("createdAt", at.description)
    writer.member("actor", details["actor"]?.ordered(Self.actor) ?? .null)
    writer.member("deepLink", details["deepLink"]?.ordered(Self.deepLink) ?? Self.nowhere)
    for member in details where !Self.placed.contains(member.key) {
      writer.key(member.key)
      writer.value(member.value)
    }
    let thumbnails = details["thumbnails"]?.arrayValue ?? []
    writer.member("thumbnails", .array(thumbnails.map { $0.ordered(["url", "type"]) }))
    writer.member("batchCount", details["batchCount"] ?? 1)
    writer.endObject()
  }

  private static let actor = ["id", "username", "firstName", "avatarUrl"]
  private static let deepLink = ["type", "roomId", "actorId"]
  private static let nowhere: JSONValue = ["type": "none", "roomId": nil, "actorId": nil]
}

extension Message {
  /// What an app's own client reads.
  var detailsObject: JSONObject {
    guard !details.isEmpty else { return JSONObject() }
    return (try? JSONParser.parse(details))?.objectValue ?? JSONObject()
  }
}

extension JSONValue {
  /// The same with some members first.
  fileprivate func ordered(_ names: [String]) -> JSONValue {
    guard let object = objectValue else { return self }
    var ordered = JSONObject()
    for name in names { ordered[name] = object[name] }
    for member in object where !names.contains(member.key) { ordered[member.key] = member.value }
    return .object(ordered)
  }
}
