import CivilTime
import Engine
import JSON
import Reminders

extension Stage {
  /// Returns a stage with the shipped catalog `rooms`.
  static func room(at start: String = "2025-07-04 12:00") throws -> Stage {
    try Stage(catalog: Fixtures.text(of: "rooms"), at: start)
  }

  func inbox(of name: String = "amina", offset: Int = 0, limit: Int = 100) throws -> InboxPage {
    let page = try query(InboxQuery(of: name, offset: offset, limit: limit))
    return page ?? InboxPage(zone: planner.defaultZone)
  }

  /// Returns the texts of the inbox, the latest first, with a dot before each unread text.
  func inboxTexts(of name: String = "amina") throws -> [String] {
    try inbox(of: name).items.map { ($0.isRead ? "" : ".") + $0.message.body }
  }

  func history(
    of name: String = "amina", _ change: (inout NotificationHistoryQuery) -> Void = { _ in }
  ) throws -> NotificationHistory? {
    var history = NotificationHistoryQuery(of: name)
    change(&history)
    return try query(history)
  }

  @discardableResult
  func write(_ write: InboxWrite, of name: String = "amina") throws -> InboxReceipt? {
    try ask { .inboxWrite(name, write, $0) }
  }

  /// Submits an event that a user causes in a room, and runs all due work.
  func act(
    _ type: String, _ extraMembers: JSONObject = [:], by name: String = "pete",
    of recipient: String = "amina"
  ) throws {
    var data: JSONObject = ["actor": ["id": .string("id-\(name)"), "username": .string(name)]]
    if type != "user.followed" { data["room"] = ["id": "room-1", "name": "Italy"] }
    for member in extraMembers { data[member.key] = member.value }
    try take(type, .object(data), of: recipient)
    try run(to: now)
  }

  /// Submits the event that a user adds some photos to the room, and runs all due work.
  func add(photos: Int, by name: String = "pete") throws {
    let elements = Array(repeating: JSONValue.object(["type": "PHOTO"]), count: photos)
    try act("element.added", ["elements": .array(elements)], by: name)
  }
}
