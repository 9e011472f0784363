import HTTPTypes
import JSON

extension Operation {
  static let inbox = Operation(
    identifier: "inbox", summary: "A recipient's inbox, the latest item first",
    details: """
      One request examines at most 1000 items: with unread=true, a page may have fewer items than \
      the limit, or none. "next" is null only at the end.
      """,
    parameters: [
      .query("unread", .boolean, "Whether to list only unread items")
    ] + Parameter.page,
    answers: [Answer("A page of items", .reference(.inboxPage), example: page)],
    problems: [.unknownRecipient])

  static let inboxCount = Operation(
    identifier: "inboxCount", summary: "Count the items of a recipient's inbox",
    answers: [Answer("The counts", counts, example: ["unread": 5, "count": 42, "badge": 5])],
    problems: [.unknownRecipient])

  static let readInbox = Operation(
    identifier: "readInbox", summary: "Mark all items of a recipient's inbox as read",
    answers: [countsAnswer(unread: 0)],
    problems: [
      .unknownRecipient, .invalidBody, .malformedText, .slowBody, .bodyTooLarge,
    ])

  static let readInboxItem = Operation(
    identifier: "readInboxItem", summary: "Mark an item of a recipient's inbox as read",
    answers: [countsAnswer(unread: 4)],
    problems: [
      .unknownRecipient, .unknownNotification, .invalidBody, .malformedText, .slowBody,
      .bodyTooLarge,
    ])

  static let clearInbox = Operation(
    identifier: "clearInbox", summary: "Dismiss all delivered notifications",
    details: """
      Afterwards the inbox is empty and every delivered notification counts as dismissed, as after \
      DELETE of the notifications. Scheduled occurrences stay.
      """,
    answers: [Answer("Dismissed", dismissed, example: ["dismissed": 5, "badge": 0])],
    problems: [.unknownRecipient])

  static let dismissInboxItem = Operation(
    identifier: "dismissInboxItem", summary: "Dismiss an item of a recipient's inbox",
    details: "Its notification counts as dismissed, as after DELETE of the notification.",
    answers: [Answer("Dismissed", dismissed, example: ["dismissed": 1, "badge": 4])],
    problems: [.unknownRecipient, .unknownNotification])

  private static func countsAnswer(unread: Int64) -> Answer {
    Answer(
      "The counts after the change", counts,
      example: ["unread": .integer(unread), "count": 42, "badge": .integer(unread)])
  }

  private static let counts = Schema.of(InboxCountPayload.self)
  private static let dismissed = Schema.of(DismissedPayload.self)

  private static let page: JSONValue = [
    "recipient": "u1", "zone": "Europe/Berlin", "unread": 5, "count": 42,
    "items": [
      [
        "id": "1a2b3c-123", "reminder": "order-shipped", "category": "ORDERS",
        "title": "Your order", "body": "It was shipped.", "at": "2026-03-02T16:06:19.544Z",
        "local": "2026-03-02T17:06:19.544", "read": false,
        "details": ["deepLink": ["type": "order", "orderId": "7"]],
      ]
    ],
    "next": "123",
  ]
}

extension Operation {
  static let sendEvents = Operation(
    identifier: "sendEvents", summary: "Send events: one, a batch, or a stream of lines",
    details: """
      The response is sent when accepted events are durable. An event whose source and id are \
      known is a duplicate and changes nothing.

      The source of an event from a recipient's own token is stored with a prefix: "app" from the \
      token of u1 is stored as "recipient:u1/app", so the ids of its events do not collide with \
      those of other senders. The description of each type states whether such a token may report \
      it. It may report:

      - preferences and presets;
      - vacations;
      - devices and permissions;
      - received, opened, snoozed, cancelled and resumed notifications;
      - the recipient's zone, locale and holidays;
      - events that a catalog marks as the recipient's own.

      Any other event requires one of:

      - an administrator;
      - a token with the scope support;
      - a token with the scope report that was created for the event's type and source.

      Only an administrator, or a token that lists the type, may report recipient.deleted.

      The answer to a batch or a stream has a result for each event. A batch gets 207 if any event \
      was refused. A stream always gets 200, because its status is sent before its events are read.

      An event without a time gets the time of arrival. If two events contradict each other, the \
      one with the later time counts.

      The media types are:

      - application/json: one event, or a batch of up to 8 MiB;
      - application/cloudevents+json: one event;
      - application/cloudevents-batch+json: a batch of up to 8 MiB;
      - application/x-ndjson: a stream of events, one per line.

      In binary mode, the attributes are headers (ce-specversion, ce-id, ce-source, ce-type, \
      ce-subject and so on), and the body is the data, as application/json.

      An attribute that CloudEvents does not define is an extension. The extensions traceparent \
      and tracestate are passed to the sinks with the resulting notifications.

      Instead of data, an event may have data_base64, which is JSON in base64. The schemas of \
      events do not contain it.

      At most 1000 notification.requested of a recipient may wait. Further ones are refused with \
      429 until some were sent or cancelled.

      All tokens of one recipient together may send 600 events and other changes at once, and then \
      one a minute. Further ones are refused with 429 and Retry-After. A batch that exceeds the \
      limit is refused as a whole.
      """,
    body: Body(
      // A single event and a batch share one media type. With two types, a generated client would
      // have to choose by the type of the value.
      Content(
        type: "application/json",
        schema: .oneOf([.reference(.event), batch]), example: lessonEvent),
      Content(
        type: "application/x-ndjson",
        schema: .text.described("One event per line; the response has one line for each event"))),
    answers: [
      Answer(
        "A duplicate event, or a batch with the result of each event",
        .oneOf([.reference(.eventAnswer), .reference(.eventsAnswer)]),
        example: ["id": "e1", "status": "duplicate"]
      ).or(
        Content(
          type: "application/x-ndjson",
          schema: .text.described(
            "For a stream: one line for each event, {\"line\":1,\"id\":\"e1\",...}"))),
      Answer(
        status: EventRoute.multiStatus,
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

  /// The schema of a batch. The schema permits any object as an item, because an invalid item is
  /// refused alone and does not affect the others.
  private static let batch = Schema.list(
    Schema(["anyOf": [.object(Schema.reference(.event).json), .object([:])]]))

  private static let lessonEvent: JSONValue = [
    "specversion": "1.0", "id": "e1", "source": "app", "type": "lesson.completed",
    "subject": "u1", "time": "2026-03-02T09:30:00Z", "data": ["day": 1],
  ]
}
