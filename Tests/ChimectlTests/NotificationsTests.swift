import ArgumentParser
import JSON
import Testing

@testable import chimectl

@Suite struct NotificationsTests {
  /// - Parameter members: members that are added to the default ones, or replace them.
  private static func entry(_ members: JSONObject) -> JSONValue {
    var entry: JSONObject = [
      "at": "2026-03-02T12:00:00.000Z", "local": "2026-03-02 13:00", "channels": ["push", "inapp"],
      "title": "Italy", "body": "pete liked your room: Italy", "outcome": "accepted",
      "reasons": [], "dismissed": false, "read": nil,
    ]
    for member in members { entry[member.key] = member.value }
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

  private static func inbox(_ items: [JSONValue], count: Int64, next: JSONValue = nil) -> JSONValue
  {
    [
      "recipient": "u1", "zone": "Europe/Berlin", "unread": 5, "count": .integer(count),
      "items": .array(items), "next": next,
    ]
  }

  @Test func `N11: an inbox marks unread items`() throws {
    func item(_ isRead: JSONValue) -> JSONValue {
      [
        "read": isRead, "local": "2026-03-02T13:00:00.000", "category": "ROOM_LIKE",
        "title": "Italy", "body": "pete liked your room: Italy",
      ]
    }
    let page = Self.inbox([item(false), item(true)], count: 42, next: "7")
    #expect(
      try InboxCommand.text(page) == """
        u1, Europe/Berlin
           LOCAL TIME               CATEGORY   TITLE  TEXT
        *  2026-03-02T13:00:00.000  ROOM_LIKE  Italy  pete liked your room: Italy
           2026-03-02T13:00:00.000  ROOM_LIKE  Italy  pete liked your room: Italy
        5 unread of 42
        There are more; use a higher --limit.

        """)
    #expect(
      try InboxCommand.text(Self.inbox([], count: 0)) == "u1, Europe/Berlin\nThe inbox is empty.\n")
    #expect(try InboxCommand.text(Self.inbox([], count: 3)).contains("There is nothing to show."))
  }

  @Test func `N11: the command lists the inbox under /v1`() async throws {
    let limited = try await InboxCommand.asyncParse(["a/b", "--limit", "7"])
    #expect(limited.path == "/v1/recipients/a%2Fb/inbox?limit=7")
    let unread = try await InboxCommand.asyncParse(["u1", "--unread"])
    #expect(unread.path == "/v1/recipients/u1/inbox?limit=20&unread=true")
  }
}
