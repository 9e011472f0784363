import JSON
import Testing

@testable import chimectl

@Suite struct NotificationsTests {
  private static func entry(_ more: JSONObject) -> JSONValue {
    var entry: JSONObject = [
      "at": "2026-03-02T12:00:00.000Z", "local": "2026-03-02 13:00", "channels": ["push", "inapp"],
      "title": "Italy", "body": "pete liked your room: Italy", "outcome": "delivered",
      "reasons": [], "dismissed": false, "read": nil,
    ]
    for member in more { entry[member.key] = member.value }
    return .object(entry)
  }

  private static func page(_ entries: [JSONValue], next: JSONValue = nil) -> JSONValue {
    [
      "recipient": "u1", "zone": "Europe/Berlin", "now": "2026-03-02T14:00:00.000Z",
      "notifications": .array(entries), "next": next, "allCaughtUp": false,
    ]
  }

  @Test func `notifications are printed as a table`() throws {
    let page = Self.page([
      Self.entry(["read": false]), Self.entry(["dismissed": true]),
      Self.entry(["outcome": "dropped", "reasons": ["quiet_hours", "expired"]]),
      Self.entry(["outcome": "sending"]),
      Self.entry([
        "outcome": "failed", "deliveries": [["channel": "push", "obstacle": "no such device"]],
      ]),
    ])
    #expect(
      try NotificationsCommand.text(page) == """
        u1, Europe/Berlin
        LOCAL TIME        WHEN     BY          TITLE  TEXT                         NOTE
        2026-03-02 13:00  2 h ago  push+inapp  Italy  pete liked your room: Italy  unread
        2026-03-02 13:00  2 h ago  push+inapp  Italy  pete liked your room: Italy  dismissed
        2026-03-02 13:00  2 h ago  push+inapp  Italy  pete liked your room: Italy  dropped by \
        quiet_hours, expired
        2026-03-02 13:00  2 h ago  push+inapp  Italy  pete liked your room: Italy  being sent
        2026-03-02 13:00  2 h ago  push+inapp  Italy  pete liked your room: Italy  failed: push: \
        no such device

        """)
  }

  @Test func `an empty list is printed as a sentence`() throws {
    #expect(
      try NotificationsCommand.text(Self.page([])) == """
        u1, Europe/Berlin
        There is nothing to show.

        """)
    guard case .object(var caughtUp) = Self.page([]) else { return }
    caughtUp["message"] = "You're all caught up!"
    #expect(try NotificationsCommand.text(.object(caughtUp)).contains("You're all caught up!"))
    #expect(try NotificationsCommand.text(Self.page([], next: "7")).contains("There are more"))
  }

  @Test func `an inbox marks unread items`() throws {
    func item(_ isRead: JSONValue) -> JSONValue {
      [
        "isRead": isRead, "createdAt": "2026-03-02T12:00:00.000Z", "type": "ROOM_LIKE",
        "displayText": "pete liked your room: Italy",
      ]
    }
    let page: JSONValue = [
      "data": [item(false), item(true)], "meta": ["totalCount": 42, "page": 1, "totalPages": 21],
    ]
    #expect(
      try InboxCommand.text(page) == """
           TIME                      TYPE       TEXT
        *  2026-03-02T12:00:00.000Z  ROOM_LIKE  pete liked your room: Italy
           2026-03-02T12:00:00.000Z  ROOM_LIKE  pete liked your room: Italy
        page 1 of 21, 42 in total

        """)
    #expect(
      try InboxCommand.text(["data": [], "meta": ["totalCount": 0]]) == "The inbox is empty.\n")
  }
}
