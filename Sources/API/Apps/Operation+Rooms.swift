import HTTPTypes
import JSON

extension Operation {
  static let roomsInbox = Operation(
    identifier: "roomsInbox", summary: "The rooms app's notifications, the latest first",
    parameters: [
      .query(
        "page", .integer(1...Int64(RoomsRoutes.pageMax)), "The page; default: the first"),
      .query("limit", .integer(1...Int64(RoomsRoutes.limitMax)), "Items per page; default: 20"),
    ],
    answers: [Answer("A page of notifications", .reference(.roomsPage), example: roomsPage)])

  static let unreadCount = Operation(
    identifier: "unreadCount", summary: "Count unread notifications of the rooms app",
    answers: [
      Answer(
        "The count", .of(UnreadPayload.self), example: ["data": ["unreadCount": 5]])
    ])

  static let markRead = Operation(
    identifier: "markRead", summary: "Mark some of the rooms app's notifications as read",
    details: "Unknown ids and those of other recipients are ignored and not counted.",
    body: Body(
      Content(
        schema: .of(ReadBody.self),
        example: ["notificationIds": ["1a2b3c-123", "1a2b3c-124"]])),
    answers: [
      Answer(
        "The number of notifications found", .of(ReadPayload.self),
        example: ["data": ["message": "Notifications marked as read", "count": 2]])
    ],
    problems: [.invalidBody])

  static let markAllRead = Operation(
    identifier: "markAllRead", summary: "Mark all of the rooms app's notifications as read",
    answers: [
      Answer(
        "Done", .of(AllReadPayload.self),
        example: ["data": ["message": "All notifications marked as read"]])
    ],
    problems: [.invalidBody, .malformedText, .slowBody, .bodyTooLarge])

  private static let roomsPage: JSONValue = [
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
