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
        "The count", .of(UnreadPayload.self), example: ["data": ["unreadCount": 5]])
    ])

  static let markRead = Operation(
    identifier: "markRead", summary: "Mark some of the rooms app's notifications as read",
    details: "Ids that are unknown, or another person's, change nothing and are not counted.",
    body: Body(
      Content(
        schema: .of(ReadBody.self),
        example: ["notificationIds": ["1a2b3c-123", "1a2b3c-124"]])),
    answers: [
      Answer(
        "How many were found", .of(ReadPayload.self),
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

extension Operation {
  static let sendEvents = Operation(
    identifier: "sendEvents", summary: "Take in events: one, a batch, or a stream of lines",
    details: """
      An accepted event is on disk when the answer is sent. The same source and id again change \
      nothing. A recipient's own token has its sources for itself: "app" from the token of u1 is \
      kept as "recipient:u1/app", so that no one can use up the ids of others. It may report \
      preferences, presets, devices, permissions, vacations, what was opened, snoozed or \
      cancelled, the person's zone, locale and holidays, and what a catalog marks as the person's \
      own act; each type says so. Anything else is an administrator's to report. \
      A batch and a stream are answered item by item: a batch with 207 if any of its events was \
      refused, a stream always with 200, since its status is sent before its events are read. \
      Events without a time have the instant of arrival, and the later of two is the later fact. \
      One event may also be sent as \
      application/cloudevents+json, a batch of up to 8 MiB as application/cloudevents-batch+json; \
      application/json is either. Binary mode is taken as well: attributes \
      as headers (ce-specversion, ce-id, ce-source, ce-type, ce-subject and so on) and the data as \
      a body of application/json. Attributes beyond these are extensions; traceparent and \
      tracestate go on to the sinks with what the event causes. At most 1000 \
      notification.requested wait for a recipient: one more is refused with 429 until some have \
      gone out or were taken back. The tokens of one person send at most 600 events at once, and \
      then one a minute; more are refused with 429 and Retry-After, a batch of them as a whole. \
      Data in data_base64 is decoded and has to be JSON.
      """,
    body: Body(
      // One type for both: of several a generated client would have to choose by the value's type.
      Content(
        type: "application/json",
        schema: .oneOf([.reference(.event), batch]), example: lesson),
      Content(
        type: "application/x-ndjson",
        schema: .text.described("An event on each line; answered by a line for each"))),
    answers: [
      Answer(
        "One that was there before, or a batch with what became of each",
        .oneOf([.reference(.eventAnswer), .reference(.eventsAnswer)]),
        example: ["id": "e1", "status": "duplicate"]
      ).or(
        Content(
          type: "application/x-ndjson",
          schema: .text.described("Of a stream: a line for each, {\"line\":1,\"id\":\"e1\",...}"))),
      Answer(
        status: EventRoute.mixed,
        "A batch of which some events were refused, with what became of each",
        .reference(.eventsAnswer)),
      Answer(
        status: .accepted, "One, taken in and on disk", .reference(.eventAnswer),
        example: ["id": "e1", "status": "accepted"]
      ).leading(to: Link.recipient(from: "$request.body#/subject")),
    ],
    problems: [
      .malformedEvent, .unacceptableEvent, .conflictingEvent, .foreignEvent, .tooMuchWaiting,
      .unsupportedMediaType, .lineTooLong,
    ])

  /// An item that is no event is answered as such, and harms no other.
  private static let batch = Schema.list(
    Schema(["anyOf": [.object(Schema.reference(.event).json), .object([:])]]))

  private static let lesson: JSONValue = [
    "specversion": "1.0", "id": "e1", "source": "app", "type": "lesson.completed",
    "subject": "u1", "time": "2026-03-02T09:30:00Z", "data": ["day": 1],
  ]
}
