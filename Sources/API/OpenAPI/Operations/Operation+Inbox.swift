import HTTPTypes
import JSON

extension Operation {
  static let inbox = Operation(
    identifier: "inbox", summary: "The rooms app's notifications, the latest first",
    parameters: [
      .query(
        "page", .integer(1...Int64(InboxRoutes.pageMax)), "Which page; the first unless given"),
      .query("limit", .integer(1...Int64(InboxRoutes.limitMax)), "How many; 20 unless given"),
    ],
    answers: [Answer("A page of them", .reference(.inboxPage), example: inboxPage)])

  static let unreadCount = Operation(
    identifier: "unreadCount", summary: "How many of the rooms app's notifications are unread",
    answers: [
      Answer(
        "The count", .object(.init("data", .object(.init("unreadCount", .count)))),
        example: ["data": ["unreadCount": 5]])
    ])

  static let markRead = Operation(
    identifier: "markRead", summary: "Mark some of the rooms app's notifications as read",
    details: "Ids that are unknown, or another person's, change nothing and are not counted.",
    body: Body(
      Content(
        schema: .object(.init("notificationIds", .list(.text))),
        example: ["notificationIds": ["1a2b3c-123", "1a2b3c-124"]])),
    answers: [
      Answer(
        "How many were found",
        .object(.init("data", .object(.init("message", .text), .init("count", .count)))),
        example: ["data": ["message": "Notifications marked as read", "count": 2]])
    ],
    problems: [.invalidBody])

  static let markAllRead = Operation(
    identifier: "markAllRead", summary: "Mark all of the rooms app's notifications as read",
    answers: [
      Answer(
        "Done", .object(.init("data", .object(.init("message", .text)))),
        example: ["data": ["message": "All notifications marked as read"]])
    ],
    problems: [.invalidBody, .malformedText, .slowBody, .bodyTooLarge])

  private static let inboxPage: JSONValue = [
    "data": [
      [
        "id": "1a2b3c-123", "type": "ELEMENT_ADDED",
        "displayText": "renee added 20 photos and 3 videos to Awesome Fun", "isRead": false,
        "createdAt": "2025-07-04T16:06:19.544Z",
        "actor": [
          "id": "user-456", "username": "renee", "firstName": "Renee",
          "avatarUrl": "https://images.example/renee.jpg",
        ],
        "deepLink": ["type": "room", "roomId": "room-789", "actorId": "user-456"],
        "roomName": "Awesome Fun",
        "thumbnails": [["url": "https://images.example/1.jpg", "type": "PHOTO"]],
        "batchCount": 23,
      ]
    ],
    "meta": [
      "totalCount": 42, "page": 1, "limit": 20, "totalPages": 3, "hasNextPage": true,
      "hasPrevPage": false,
    ],
  ]
}
