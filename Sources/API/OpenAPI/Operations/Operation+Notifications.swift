import Engine
import HTTPTypes
import JSON
import Reminders

extension Operation {
  static let notifications = Operation(
    identifier: "notifications", summary: "A recipient's past notifications, the latest first",
    details: """
      By default, lists notifications that were delivered on a channel and are not dismissed. \
      "deliveries" contains the state on each channel. One request searches a limited number of \
      notifications: a page may have fewer than the limit, or none. "next" is null only at the \
      end.
      """,
    parameters: [
      .query(
        "part", .word(NotificationHistoryQuery.Part.allCases.map(\.rawValue)),
        "recent: not dismissed (default)"),
      .query(
        "q", .text,
        "Words, all of which must be in the title or body; only in the title if bodies are hidden"),
      .query("category", .text, "A category"),
      .query("channel", .word(Channel.allCases.map(\.name)), "A channel of the notification"),
      .query(
        "outcome", .word(NotificationState.words + [NotificationHistoryQuery.anyOutcome]),
        "The state; default: delivered, which is accepted, received or complained"),
      .query(
        "from", .instantOrDate, "The first instant, or a date: the start of the recipient's day"),
      .query(
        "to", .instantOrDate,
        "The instant after the last, or a date: the end of the recipient's day"),
      .query(
        "limit", .integer(1...Int64(NotificationHistoryQuery.limitMax)),
        "The maximum number of notifications; default: 100"),
      .query("after", .text, "The \"next\" of the previous page"),
    ],
    answers: [Answer("A page of notifications", .reference(.notificationPage))],
    problems: [.unknownRecipient])

  static let dismissNotification = Operation(
    identifier: "dismissNotification", summary: "Dismiss a delivered notification",
    answers: [Answer("Dismissed", dismissed, example: ["dismissed": 1, "badge": 4])],
    problems: [.unknownRecipient, .unknownNotification])

  static let clearNotifications = Operation(
    identifier: "clearNotifications", summary: "Dismiss all delivered notifications",
    details: "Scheduled occurrences stay.",
    answers: [Answer("Dismissed", dismissed, example: ["dismissed": 5, "badge": 0])],
    problems: [.unknownRecipient])

  static let badge = Operation(
    identifier: "badge", summary: "The number on the app's icon",
    details: """
      The count of unread items or of delivered notifications, as set by hints.badgeCounts.
      """,
    answers: [
      Answer("The number", .of(BadgePayload.self), example: ["badge": 3]),
      Answer(status: .noContent, "The recipient's badge is off"),
    ],
    problems: [.unknownRecipient])

  static let pushKey = Operation(
    identifier: "pushKey", summary: "The public key with which pages subscribe to web push",
    details: """
      Pass it to pushManager.subscribe as applicationServerKey, and report the subscription by an \
      event device.registered with the platform web.
      """,
    answers: [
      Answer(
        "The key, in base64url", .of(PushKeyPayload.self),
        example: ["key": .string(exampleKey)])
    ],
    problems: [.noPushKey])

  private static let exampleKey =
    "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8"
  private static let dismissed = Schema.of(DismissedPayload.self)
}

extension Operation {
  static let scheduled = Operation(
    identifier: "scheduled", summary: "A recipient's scheduled occurrences, soonest first",
    details: """
      Lists the pending occurrences with their ids. An occurrence that is sent in several channel \
      groups at one instant is one entry. A digest is one entry with its members. The digest's id \
      cancels, snoozes, resumes and explains all of them; the id of a member does so for that \
      member alone.
      """,
    parameters: [
      .query(
        "part", .word(ScheduledPart.allCases.map(\.rawValue)),
        "pending (default), or cancelled: those that can be resumed, with the instant at which "
          + "each would be sent")
    ] + Parameter.page,
    answers: [Answer("A page of occurrences", .reference(.scheduledPage))],
    problems: [.unknownRecipient])

  static let cancelScheduled = Operation(
    identifier: "cancelScheduled",
    summary: "Cancel one occurrence of a reminder, or its series",
    details: """
      The occurrence may be a later date of a series, by its id of /ahead. If the reminder's \
      events have an identifier, the series is that of the occurrence's entity: other entities \
      continue, and a new report of the entity starts it again. The reminder's name without an \
      occurrence cancels the series of all entities.
      """,
    parameters: [
      .query("series", .boolean, "Whether to cancel the series instead of one occurrence")
    ],
    answers: [changed], problems: [.unknownRecipient, .unknownNotification, .invalidBody])

  static let resumeScheduled = Operation(
    identifier: "resumeScheduled",
    summary: "Resume a cancelled occurrence of a reminder, or its series",
    details: """
      A future occurrence is planned again; an overdue one is sent now, unless it has expired. \
      The reminder's name without an occurrence resumes the series of all entities.
      """,
    parameters: [
      .query("series", .boolean, "Whether to resume the series instead of one occurrence")
    ],
    answers: [changed], problems: [.unknownRecipient, .unknownNotification, .invalidBody])

  static let snoozeNotification = Operation(
    identifier: "snoozeNotification", summary: "Snooze a delivered notification",
    details: """
      Snoozes for a time from now ("for"), or until an instant ("until"). The notification is \
      dismissed and becomes pending again as the same occurrence: an event that ends its reminder \
      ends the occurrence, too. Its repetitions move by the same span. The id of a digest snoozes \
      all its members; the id of a member, that member alone. The response contains the new \
      planned instant, at which gates can still hold the occurrence. If the reminder is about \
      something with its own instant, such as an appointment, a snooze to that instant or later is \
      refused; the refusal names the latest possible instant.
      """,
    body: Body(Content(schema: .of(SnoozeBody.self), example: ["for": "30m"])),
    answers: [snoozed], problems: [.unknownRecipient, .unknownNotification, .invalidBody])

  static let snoozeScheduled = Operation(
    identifier: "snoozeScheduled", summary: "Snooze a scheduled occurrence of a reminder",
    details: """
      Snoozes for a time from the planned instant ("for"), or until an instant ("until"), but \
      never to an instant before the one at which the occurrence would otherwise be sent. Its \
      repetitions move by the same span. The name of a reminder instead of an id means its next \
      occurrence; the id of a digest means all its members. The response contains the new planned \
      instant, at which gates can still hold the occurrence. If the reminder is about something \
      with its own instant, such as an appointment, a snooze to that instant or later is refused; \
      the refusal names the latest possible instant.
      """,
    body: Body(Content(schema: .of(SnoozeBody.self), example: ["for": "30m"])),
    answers: [snoozed], problems: [.unknownRecipient, .unknownNotification, .invalidBody])

  static let projection = Operation(
    identifier: "projection",
    summary: "The next notifications, for a device that schedules them itself",
    parameters: [
      .query(
        "limit", .integer(1...Int64(ScheduledRoutes.projectionMax)),
        "The maximum number of notifications; default: 64, the limit of iOS")
    ],
    answers: [
      Answer("The next push notifications, soonest first", .of(ProjectionPayload.self))
    ],
    problems: [.unknownRecipient])

  private static let snoozed = Answer(
    "The new planned instant, and the effects on pending occurrences", .reference(.snoozed))

  private static let changed = Answer(
    "The effects on pending occurrences", .reference(.changes))
}

extension Operation {
  static let stream = Operation(
    identifier: "stream", summary: "Stream a recipient's notifications as they are sent",
    details: """
      Server-sent events (WHATWG HTML, section 9.2). Each delivery on one of the channels is an \
      event "notification", sent when the delivery is recorded on disk as delivered. Its data is \
      the Delivery that sinks get, on one line; the stream can continue after its id. An event is \
      not repeated when its notification is read or dismissed.

      When a delivery is withdrawn from its sink's service (withdraw: true in the catalog), an \
      event "notification.withdrawn" follows: {"id":"...","recipient":"u1","reminder":"...",\
      "category":"...","channel":"push","at":"..."}. Remove the notification with that id. The \
      event has no id; a stream that continues repeats those of the latest 32 notifications of 7 \
      days.

      To continue, send the last id as Last-Event-ID. The stream then begins with the missed \
      notifications (at most 10,000) in their order, without gaps or duplicates, also after a \
      restart of the service. Without an id it begins now. The first block of a stream has an id \
      and no data: store that id, as an EventSource does, and nothing is lost if the connection \
      breaks before the first event. The id of a notification from /notifications is accepted \
      too. An id that is not from this recipient's stream, or with too many notifications after \
      it, is answered with 410: read /notifications, and open the stream without an id.

      A line that begins with a colon is a heartbeat; there is one at least every 15 seconds, so \
      reconnect if a stream is silent for much longer. "retry" is the number of milliseconds to \
      wait before a reconnection. The last event of a stream is "end" with the reason: \
      {"reason":"stopping"} or "behind" (reconnect), "unauthorized" (the token is no longer \
      valid) or "erased" (the recipient is erased).

      With state=true the stream begins with an event "state", which is sent again after each \
      change: {"badge":1,"unread":1,"recent":2,"pending":7,"due":"...","preferences":17}. badge \
      is null if it is off, due is the instant at which the next occurrence is due, and \
      preferences is their version. The event has no id.
      """,
    parameters: [
      .query("channels", channels, "The channels, separated by commas; default: inapp,push"),
      .query(
        "lastEventId", .text,
        "Last-Event-ID for clients that cannot send the header, which takes precedence"),
      .query(
        "state", .boolean,
        "Whether to send the state of the badge, inbox, preferences and pending occurrences"),
      .header("Last-Event-ID", .text, "The id of the last received event"),
    ],
    answers: [
      Answer(
        "The events, until either side ends the stream",
        Schema.text.described(
          "Server-sent events; the data of a \"notification\" is a Delivery, that of a "
            + "\"notification.withdrawn\" names one"),
        type: ServerSentEvents.contentType, example: .string(example))
    ],
    problems: [.unknownRecipient, .lostCursor])

  private static let channels: Schema = {
    let name = "(" + Channel.allCases.map(\.name).joined(separator: "|") + ")"
    return Schema(
      type: "string", ["pattern": .string("^\(name)(,\(name))*$"), "examples": ["inapp,push"]])
  }()

  private static let example = """
    retry: 2000
    id: 4f1k9-17-all

    id: 4f1k9-18-push
    event: notification
    data: {"id":"4f1k9-18","recipient":"u1","reminder":"daily-checkin-reminder",\
    "category":"CHECKIN","channel":"push","title":"Daily check-in","body":"How was your day?",\
    "planned":"2026-03-02T21:00:00.000Z","at":"2026-03-02T21:00:00.000Z"}

    :


    """
}
