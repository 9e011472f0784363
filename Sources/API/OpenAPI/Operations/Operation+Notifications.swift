import Engine
import HTTPTypes
import JSON
import Reminders

extension Operation {
  static let notifications = Operation(
    identifier: "notifications", summary: "What a person was told, the latest first",
    details: """
      Without parameters: what has arrived on some channel and was not dismissed; "deliveries" \
      tells what has become of it on each. A search looks only so far at a \
      time: a page may have fewer than are wanted, or none, while "next" says that there is more.
      """,
    parameters: [
      .query("part", .word(HistoryQuestion.Part.allCases.map(\.rawValue)), "recent unless given"),
      .query(
        "q", .text,
        "Words that are all in the title or the body; in the title, where bodies are not shown"),
      .query("category", .text, "A category"),
      .query("channel", .word(Channel.allCases.map(\.name)), "A channel that it went out on"),
      .query(
        "outcome", .word(HistoryQuestion.outcomes + [HistoryQuestion.anyOutcome]),
        "delivered unless given"),
      .query("from", .moment, "Not before this; a date is the person's own day"),
      .query("to", .moment, "Before this; a date's whole day is before it"),
      .query(
        "limit", .integer(1...Int64(HistoryQuestion.limitMax)),
        "How many at most; 100 unless given"),
      .query("after", .text, "The \"next\" of the page before"),
    ],
    answers: [Answer("A page of it", .reference(.notificationPage))], problems: [.unknownRecipient])

  static let dismissNotification = Operation(
    identifier: "dismissNotification", summary: "Dismiss something that was delivered",
    answers: [Answer("Dismissed", dismissed, example: ["dismissed": 1, "badge": 4])],
    problems: [.unknownRecipient, .unknownNotification])

  static let clearNotifications = Operation(
    identifier: "clearNotifications", summary: "Dismiss all that was delivered",
    details: "What is scheduled stays.",
    answers: [Answer("Dismissed", dismissed, example: ["dismissed": 5, "badge": 0])],
    problems: [.unknownRecipient])

  static let badge = Operation(
    identifier: "badge", summary: "The number on the app's icon",
    details: "What is unread, or what was delivered, as hints.badgeCounts says.",
    answers: [
      Answer("The number", .of(BadgePayload.self), example: ["badge": 3]),
      Answer(status: .noContent, "The person wants no badge"),
    ],
    problems: [.unknownRecipient])

  private static let dismissed = Schema.of(DismissedPayload.self)
}

extension Operation {
  static let scheduled = Operation(
    identifier: "scheduled", summary: "What is scheduled for a person, soonest first",
    details: """
      Like what is pending, with ids, and one entry for what goes out on several ways. What goes \
      out as a digest is one entry with its members. Its id cancels, snoozes, resumes and explains \
      all of them; the id of a member does so for that member alone.
      """,
    parameters: [
      .query(
        "part", .word(ScheduledPart.allCases.map(\.rawValue)),
        "What is pending, unless given; or what was cancelled and can be resumed, with the instant "
          + "at which it would go")
    ] + Parameter.page,
    answers: [Answer("A page of it", .reference(.scheduledPage))], problems: [.unknownRecipient])

  static let cancelScheduled = Operation(
    identifier: "cancelScheduled",
    summary: "Cancel one occurrence of a reminder, or its series",
    details: """
      If the reminder's events have an identifier, the series is that of the occurrence's entity: \
      other entities continue, and a new report of the entity starts it again. The reminder's name \
      without an occurrence cancels the series of all entities.
      """,
    parameters: [
      .query("series", .boolean, "Whether all that come after it are cancelled too")
    ],
    answers: [changed], problems: [.unknownRecipient, .unknownNotification, .invalidBody])

  static let resumeScheduled = Operation(
    identifier: "resumeScheduled",
    summary: "Take up again what was cancelled: one occurrence of a reminder, or its series",
    details: """
      What is still ahead is planned again; what is late goes now, if it has not expired. By the \
      name of the reminder, without an occurrence, the series of all entities are resumed.
      """,
    parameters: [.query("series", .boolean, "Whether it is the series that was cancelled")],
    answers: [changed], problems: [.unknownRecipient, .unknownNotification, .invalidBody])

  static let snoozeNotification = Operation(
    identifier: "snoozeNotification", summary: "Be told again, later, of what was delivered",
    details: """
      So long from now ("for"), or at an instant ("until"). It is dismissed, and pending again as \
      the same occurrence: what ends its reminder ends it, too. Its repetitions follow it. Of a \
      digest all members are put off; of one member, by its own id, that member alone. The answer \
      says for when it is planned, where gates may hold it. An instant that is not before what the \
      reminder is about, such as an appointment, is refused with the latest possible instant.
      """,
    body: Body(Content(schema: .of(SnoozeBody.self), example: ["for": "30m"])),
    answers: [snoozed], problems: [.unknownRecipient, .unknownNotification, .invalidBody])

  static let snoozeScheduled = Operation(
    identifier: "snoozeScheduled", summary: "Let an occurrence of a reminder come later",
    details: """
      So much later than its planned instant ("for"), or not before another ("until"); never \
      earlier than it would go now. Its repetitions follow it. The name of a reminder, instead of \
      an id, means its next occurrence; the id of a digest means all its members. The answer says \
      for when it is planned now; gates may hold it there. An instant that is not before what the \
      reminder is about, such as an appointment, is refused with the latest possible instant.
      """,
    body: Body(Content(schema: .of(SnoozeBody.self), example: ["for": "30m"])),
    answers: [snoozed], problems: [.unknownRecipient, .unknownNotification, .invalidBody])

  static let projection = Operation(
    identifier: "projection",
    summary: "The next notifications, for a device that schedules them itself",
    parameters: [
      .query(
        "limit", .integer(1...Int64(ScheduledRoutes.projectionMax)),
        "How many; 64 unless given, as many as iOS keeps")
    ],
    answers: [
      Answer("What will go out by push, soonest first", .of(ProjectionPayload.self))
    ],
    problems: [.unknownRecipient])

  private static let snoozed = Answer(
    "For when it is planned now, and what that changes", .reference(.snoozed))

  private static let changed = Answer("What it changes", .reference(.changes))
}

extension Operation {
  static let stream = Operation(
    identifier: "stream", summary: "What goes out to a person, as it goes out",
    details: """
      Server-sent events (WHATWG HTML, section 9.2). Each delivery on one of the channels is an \
      event "notification" once it is decided and on disk: its data is a Delivery, on one line, \
      the same that sinks are handed, and its id is the place to go on from. A delivery is \
      sent when it is recorded as delivered; it is not sent again when it is read or dismissed.

      Send the last id as Last-Event-ID to go on behind it, without loss and without doubles, also \
      after a restart of the service: whatever was missed, up to 10,000 notifications, comes \
      first, in the order of decision. The stream begins with a block that has an id and no data: \
      note the id, as an EventSource does, and a connection that breaks before the first event \
      loses nothing either. Without an id the stream begins now. The id of a notification, as \
      /notifications has it, is a place too. A place that is not one of this person's, or that \
      is too far behind, is answered with 410: read /notifications, and begin without an id.

      A line that begins with a colon is a heartbeat, at least every 15 seconds; take a stream \
      that is silent for much longer for broken. "retry" says after how many milliseconds to \
      connect again. Before the service ends a stream it sends an event "end" whose data says why: \
      {"reason":"stopping"} (connect again), "behind" (likewise), "unauthorized" (the token does \
      not hold any more) or "erased" (the person is not known any more).

      With state=true there is an event "state" at the beginning, and again when any of it is \
      another: {"badge":1,"unread":1,"recent":2,"pending":7,"due":"...","preferences":17}. \
      badge is null where the person wants none, due is when something is due next, and \
      preferences their version. It has no id.
      """,
    parameters: [
      .query("channels", channels, "The channels, with commas between; inapp,push unless given"),
      .query(
        "lastEventId", .text,
        "For clients that cannot send a header; Last-Event-ID counts before it"),
      .query(
        "state", .boolean,
        "Whether to tell of badge, reading, dismissing, preferences and pending"),
      .header("Last-Event-ID", .text, "The id of the last event that was received"),
    ],
    answers: [
      Answer(
        "The events, until either side ends the stream",
        Schema.text.described("Blocks of lines; the data of a notification is a Delivery"),
        type: ServerSentEvents.contentType, example: .string(example))
    ],
    problems: [.unknownRecipient, .lostPlace])

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
