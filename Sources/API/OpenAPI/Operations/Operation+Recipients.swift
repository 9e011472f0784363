import HTTPTypes
import JSON
import Reminders

extension Operation {
  static let pending = Operation(
    identifier: "pending", summary: "A recipient's pending occurrences, soonest first",
    parameters: Parameter.page,
    answers: [
      Answer(
        "A page of occurrences", .reference(.pendingPage), example: pendingPage)
    ],
    problems: [.unknownRecipient])

  static let ahead = Operation(
    identifier: "ahead", summary: "The deliveries and drops of the next days",
    details: """
      With asOf, the timeline begins at a past instant, and is what the service would have \
      answered then. The past is decided again from stored events, with the catalogs and settings \
      that were current. unknown lists the parts that are not stored, such as other time zone \
      rules. An instant in the future, or before the stored facts and catalogs, is a 400.
      """,
    parameters: [days, asOf],
    answers: [Answer("The timeline", .reference(.timeline))], problems: [.unknownRecipient])

  static let tryAhead = Operation(
    identifier: "tryAhead",
    summary: "The next days with other preferences; nothing is written",
    details: "The body has the changed preferences, in the format that form names.",
    parameters: [days, preferencesForm],
    body: Body(
      Content(schema: preferencesDocument, example: ["quietHours": ["enabled": false]])),
    answers: [Answer("The resulting timeline", .reference(.timeline))],
    problems: [
      .unknownRecipient, .malformedPreferences, .unacceptablePreferences, .tooMuchWaiting,
    ])

  private static let days = Parameter.query(
    "days", .integer(1...366), "How many days; default: 7")

  static let explain = Operation(
    identifier: "explain", summary: "Explain when and why a notification is sent, gate by gate",
    details: """
      To explain a pending reminder, give reminder, or scheduled for one occurrence. To explain a \
      past notification, give notification. To explain a possible one, give category, and also at \
      unless it would be due now. Each channel group has an explanation; with channel, that \
      channel's explanation is first. In each explanation the deciding gate is first. A \
      counterfactual is stated only if the occurrence, evaluated without the named gates, is sent \
      at its instant. If a reminder has more than 16 pending occurrences, only the first 16 have \
      counterfactuals; request the others by id. With asOf, a pending or possible notification is \
      explained as the service would have done at that instant; unknown lists the parts of the \
      past that are not stored.
      """,
    parameters: [
      .query("reminder", .text, "The identifier of a reminder"),
      .query("scheduled", .text, "The id of an occurrence, from /scheduled or /ahead"),
      .query("notification", .text, "The id of a notification, from a delivery"),
      .query(
        "channel", .word(Channel.allCases.map(\.name)), "The channel to explain first"),
      .query("category", .text, "A category"),
      .query("at", .instant, "The instant at which the notification would be due"), asOf,
    ],
    answers: [Answer("Each gate with its verdict", .reference(.explanations))],
    problems: [.unknownRecipient, .unknownNotification])

  private static let pendingPage: JSONValue = [
    "recipient": "u1", "zone": "America/New_York", "zoneIsDefault": false,
    "now": "2026-03-02T14:30:00.000Z",
    "pending": [
      [
        "reminder": "daily-lesson-reminder", "category": "LESSON", "channels": ["push"],
        "title": "Day 2 Lesson Ready",
        "body": "Continue building your strength. Day 2 is ready.",
        "planned": "2026-03-03T14:30:00.000Z", "plannedLocal": "2026-03-03T09:30:00.000",
        "at": "2026-03-03T14:30:00.000Z", "local": "2026-03-03T09:30:00.000",
        "offset": "-05:00", "abbreviation": "EST", "outcome": "delivered", "reasons": [],
        "for": nil,
      ]
    ],
    "next": nil,
  ]
}

extension Operation {
  static let recipients = Operation(
    identifier: "recipients", summary: "All recipients, ordered by id",
    details: """
      With search, only recipients whose id, name, e-mail address or telephone number contains \
      the text are listed; those whose id begins with the text come first. A page of a search may \
      be empty and have a next page, because one request examines 10,000 recipients.
      """,
    parameters: [
      .query("prefix", .text, "Only ids with this prefix"),
      .query(
        "search", .text, "A text, without regard to case, or digits of a telephone number"),
    ] + Parameter.page,
    answers: [Answer("A page of recipients", .of(RecipientPagePayload.self))])

  static let erase = Operation(
    identifier: "erase", summary: "Erase all stored data of a recipient",
    details: """
      An erasure cannot be undone. Deliveries already sent to sinks are not affected. Only \
      administrators may erase.
      """,
    answers: [
      Answer("Erased", .of(ErasedPayload.self)),
      Answer(
        status: .accepted, "Erased; the store's files are being cleaned, which takes a moment",
        .of(RemainingPayload.self)),
    ],
    problems: [.unknownRecipient, .unacceptableEvent])

  static let export = Operation(
    identifier: "export", summary: "All stored data of a recipient",
    answers: [
      Answer(
        "Facts, preferences, pending occurrences, analytics, events and notifications",
        .reference(.export))
    ],
    problems: [.unknownRecipient])

  static let createExportTicket = Operation(
    identifier: "createExportTicket",
    summary: "Create a one-time address of a recipient's export",
    details: """
      The address is valid for one minute and needs no token, so that browsers can save the file.
      """,
    answers: [
      Answer(status: .created, "The address", .of(DownloadTicketPayload.self))
    ],
    problems: [.unknownRecipient, .tooManyRequests])

  static let downloadExport = Operation(
    identifier: "downloadExport", summary: "Download the export of a ticket",
    answers: [Answer("All stored data of the recipient", .reference(.export))],
    problems: [.unknownToken, .unknownRecipient, .tooManyRequests])
}

extension Operation {
  static let showUnsubscribing = Operation(
    identifier: "showUnsubscribing", summary: "A page that asks to confirm unsubscribing",
    details: """
      An e-mail contains the link to this page. The link's token contains a recipient and a \
      category, readable only by the service, and is the only credential. Opening the page changes \
      nothing.
      """,
    answers: [Answer("A page with a button that posts", .text, type: "text/html")],
    problems: [.unknownLink, .conflictingLink])

  static let unsubscribe = Operation(
    identifier: "unsubscribe", summary: "Unsubscribe from the e-mails of a category",
    details: """
      One-click unsubscribing (RFC 8058): switches the category's e-mail off in the recipient's \
      preferences. multipart/form-data is also accepted. Repeated requests, and those for an \
      erased recipient, change nothing.
      """,
    body: Body(
      Content(
        type: "application/x-www-form-urlencoded",
        schema: .object(.optional("List-Unsubscribe", .text)),
        example: ["List-Unsubscribe": "One-Click"])),
    answers: [Answer("A page that confirms the unsubscription", .text, type: "text/html")],
    problems: [.unknownLink, .conflictingLink, .malformedText, .tooManyRequests])
}

extension Operation {
  static let showAction = Operation(
    identifier: "showAction", summary: "A page that says what an action will do",
    details: """
      A notification contains the link to this page. The link's token names a notification and one \
      of its actions, is readable only by the service, and is the only credential. Opening the \
      page changes nothing.
      """,
    answers: [Answer("A page with a button that posts", .text, type: "text/html")],
    problems: [.unknownLink, .conflictingLink, .expiredLink, .tooManyRequests])

  static let performAction = Operation(
    identifier: "performAction", summary: "Perform an action of a notification",
    details: """
      Reports the action's event, snoozes the notification or changes preferences, once for each \
      occurrence. The page says what was changed, and for a minute it can undo that. The request \
      needs no body. Callers that accept text/html get problems as pages.
      """,
    answers: [Answer("A page that says what was changed", .text, type: "text/html")],
    problems: [
      .unknownLink, .conflictingLink, .expiredLink, .repeatedLink, .tooManyRequests,
    ])
}

extension Operation {
  static let calendar = Operation(
    identifier: "calendar", summary: "Whether a recipient's calendar has a link",
    answers: [Answer("The link, without its address", .of(CalendarLinkPayload.self))],
    problems: [.unknownRecipient])

  static let createCalendar = Operation(
    identifier: "createCalendar",
    summary: "Create a link to a recipient's coming notifications as a calendar",
    details: """
      The link replaces the previous one, which is no longer valid. Only this answer contains its \
      address, which needs no token: every bearer can read the calendar until the link is \
      revoked. With titles=discreet, the calendar shows only discreet texts; otherwise it shows \
      those only of messages that are discreet on some channel.
      """,
    parameters: [
      .query(
        "titles", .word(CalendarTitles.allCases.map(\.rawValue)),
        "Which titles the calendar shows; default: declared")
    ],
    answers: [Answer(status: .created, "The link", .of(CalendarLinkPayload.self))],
    problems: [.unknownRecipient, .noPublicURL, .malformedText])

  static let revokeCalendar = Operation(
    identifier: "revokeCalendar", summary: "Revoke the link to a recipient's calendar",
    answers: [Answer("Revoked, or there was no link", .of(CalendarLinkPayload.self))],
    problems: [.unknownRecipient])

  static let calendarFeed = Operation(
    identifier: "calendarFeed", summary: "A recipient's coming notifications as a calendar",
    details: """
      An iCalendar feed (RFC 5545) of the notifications of the current and the next 60 local \
      dates, at most 500, without alarms. The token of the link ends with .ics, is readable only \
      by the service, and is the only credential.
      """,
    answers: [
      Answer(
        "The calendar", .text, type: "text/calendar",
        headers: [("ETag", "Changes if a notification does")]),
      Answer(status: .notModified, "The reader's copy is current"),
    ],
    problems: [.unknownLink, .expiredLink, .tooManyRequests])
}
