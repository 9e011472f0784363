import HTTPTypes
import JSON

extension Operation {
  static let inbox = Operation(
    identifier: "inbox", summary: "The rooms app's notifications, the latest first",
    parameters: [
      .query(
        "page", .integer(1...Int64(InboxRoutes.pageMax)), "The page; default: the first"),
      .query("limit", .integer(1...Int64(InboxRoutes.limitMax)), "Items per page; default: 20"),
    ],
    answers: [Answer("A page of notifications", .reference(.inboxPage), example: inboxPage)])

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
    identifier: "sendEvents", summary: "Send events: one, a batch, or a stream of lines",
    details: """
      The response is sent when accepted events are durable. An event whose source and id are \
      known is a duplicate and changes nothing. Events from a recipient's own token get separate \
      sources: "app" from the token of u1 is stored as "recipient:u1/app", so the token cannot use \
      the ids of other senders. Such a token may report preferences, presets, devices, \
      permissions, vacations, opened, snoozed or cancelled notifications, the recipient's zone, \
      locale and holidays, and events that a catalog marks as the recipient's own; each type's \
      description states this. Other events require an administrator. The answer to a batch or a \
      stream has a result for each event. A batch gets 207 if any event was refused; a stream \
      always gets 200, because its status is sent before its events are read. Events without a \
      time get the time of arrival. If two events contradict each other, the later time counts. A \
      single event may also have the type application/cloudevents+json, and a batch of up to 8 MiB \
      application/cloudevents-batch+json; application/json may be either. Binary mode is \
      supported: attributes are headers (ce-specversion, ce-id, ce-source, ce-type, ce-subject and \
      so on) and the data is a body of application/json. Other attributes are extensions; \
      traceparent and tracestate are passed to the sinks with resulting notifications. At most \
      1000 notification.requested of a recipient may wait: further ones are refused with 429 until \
      some were sent or cancelled. All tokens of one recipient together may send 600 events at \
      once, and then one a minute. Further events are refused with 429 and Retry-After; a batch \
      that exceeds the limit is refused as a whole. Instead of data, an event may have \
      data_base64, which is JSON in base64; the schemas of events do not contain it.
      """,
    body: Body(
      // One media type for both: with several, a generated client must choose by the value's type.
      Content(
        type: "application/json",
        schema: .oneOf([.reference(.event), batch]), example: lesson),
      Content(
        type: "application/x-ndjson",
        schema: .text.described("One event per line; the response has a line for each"))),
    answers: [
      Answer(
        "A duplicate event, or a batch with the result of each event",
        .oneOf([.reference(.eventAnswer), .reference(.eventsAnswer)]),
        example: ["id": "e1", "status": "duplicate"]
      ).or(
        Content(
          type: "application/x-ndjson",
          schema: .text.described("A stream: a line for each, {\"line\":1,\"id\":\"e1\",...}"))),
      Answer(
        status: EventRoute.mixed,
        "A batch with refused events, with the result of each event",
        .reference(.eventsAnswer)),
      Answer(
        status: .accepted, "A single event, accepted and durable", .reference(.eventAnswer),
        example: ["id": "e1", "status": "accepted"]
      ).leading(to: Link.recipient(from: "$request.body#/subject")),
    ],
    problems: [
      .malformedEvent, .unacceptableEvent, .conflictingEvent, .foreignEvent, .tooMuchWaiting,
      .unsupportedMediaType, .lineTooLong,
    ])

  /// An invalid item is refused alone and does not affect others.
  private static let batch = Schema.list(
    Schema(["anyOf": [.object(Schema.reference(.event).json), .object([:])]]))

  private static let lesson: JSONValue = [
    "specversion": "1.0", "id": "e1", "source": "app", "type": "lesson.completed",
    "subject": "u1", "time": "2026-03-02T09:30:00Z", "data": ["day": 1],
  ]
}
