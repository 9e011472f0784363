import HTTPTypes
import JSON
import Reminders

extension Operation {
  static let pending = Operation(
    identifier: "pending", summary: "What is pending for a person, soonest first",
    parameters: Parameter.page,
    answers: [
      Answer(
        "A page of it", .reference(.pendingPage), example: pendingPage)
    ],
    problems: [.unknownRecipient])

  static let ahead = Operation(
    identifier: "ahead", summary: "What will be delivered and dropped in the next days",
    parameters: [days],
    answers: [Answer("The timeline", .reference(.timeline))], problems: [.unknownRecipient])

  static let tryAhead = Operation(
    identifier: "tryAhead",
    summary: "What the next days would bring with other preferences; nothing is written",
    details: "The body has what would be other, in the form that is named.",
    parameters: [days, preferencesForm],
    body: Body(
      Content(schema: preferencesDocument, example: ["quietHours": ["enabled": false]])),
    answers: [Answer("The timeline as it would be", .reference(.timeline))],
    problems: [.unknownRecipient, .unacceptableEvent])

  private static let days = Parameter.query(
    "days", .integer(1...366), "How many days; 7 unless given")

  static let explain = Operation(
    identifier: "explain", summary: "Why something goes when it goes, gate by gate",
    details: """
      Of what is pending: give reminder, or scheduled for one occurrence of it. Of what is \
      past: give notification. Of what might be: give category, and at unless it is now. Each \
      way out has an explanation; with channel, that channel's comes first. Of the gates, the \
      one that decides comes first. A counterfactual is stated only if the occurrence, decided \
      again without the gates that it names, goes at its instant; a reminder with more than 16 \
      occurrences pending has it for the first 16, the others by their id.
      """,
    parameters: [
      .query("reminder", .text, "The identifier of a reminder"),
      .query("scheduled", .text, "The id of an occurrence, as /scheduled and /ahead have it"),
      .query("notification", .text, "The id of a notification, as deliveries carry it"),
      .query(
        "channel", .word(Channel.allCases.map(\.name)), "The channel that is explained first"),
      .query("category", .text, "A category"),
      .query("at", .instant, "The instant at which it would be due"),
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
    identifier: "recipients", summary: "Everyone who is known, in the order of their ids",
    parameters: [.query("prefix", .text, "Only those whose ids begin with it")] + Parameter.page,
    answers: [Answer("A page of them", .of(RecipientPagePayload.self))])

  static let erase = Operation(
    identifier: "erase", summary: "Erase everything that is held of a person",
    details: """
      There is no way back. What sinks were handed is not in the service's reach. It is for \
      administrators.
      """,
    answers: [
      Answer("Erased", .of(ErasedPayload.self)),
      Answer(
        status: .accepted, "Erased; the store's files are being cleaned, which takes a moment",
        .of(RemainingPayload.self)),
    ],
    problems: [.unknownRecipient, .unacceptableEvent])

  static let export = Operation(
    identifier: "export", summary: "Everything that is held of a person",
    answers: [
      Answer(
        "Facts, preferences, what is pending, analytics, events and notifications",
        .reference(.export))
    ],
    problems: [.unknownRecipient])

  static let createExportTicket = Operation(
    identifier: "createExportTicket",
    summary: "Make an address at which everything that is held of a person can be had once",
    details: "It is good for a minute, and wants no token: for browsers, which save files without.",
    answers: [
      Answer(status: .created, "Where it is to be had", .of(DownloadTicketPayload.self))
    ],
    problems: [.unknownRecipient, .tooManyRequests])

  static let downloadExport = Operation(
    identifier: "downloadExport", summary: "What a ticket for an export was made for",
    answers: [Answer("Everything that is held of the person", .reference(.export))],
    problems: [.unknownToken, .unknownRecipient, .tooManyRequests])
}

extension Operation {
  static let customerPreferences = Operation(
    identifier: "customerPreferences", summary: "The UrbanNest app's notification settings",
    answers: [Answer("The whole document", .of(CustomerPreferencesPayload.self))],
    problems: [.unknownPath], isEnveloped: true)

  static let changeCustomerPreferences = Operation(
    identifier: "changeCustomerPreferences",
    summary: "Write the UrbanNest app's notification settings",
    body: Body(
      Content(
        schema: .reference(.customerPreferences), example: ["dnd": ["enabled": true]])),
    answers: [
      Answer(
        "Written", .of(UpdatedPayload.self),
        example: ["success": true, "message": "Notification preferences updated"])
    ],
    problems: [.unknownPath, .unacceptableEvent], isEnveloped: true)

  static let registerToken = Operation(
    identifier: "registerToken", summary: "Register the token of a customer's device",
    body: Body(
      Content(
        schema: .object(Catalog.device),
        example: ["token": "fcm_device_token", "platform": "ios", "deviceId": "unique_device_id"])),
    answers: [
      Answer("Registered", .of(SuccessPayload.self), example: ["success": true])
    ],
    problems: [.unacceptableEvent], isEnveloped: true)
}

extension Operation {
  static let showUnsubscribing = Operation(
    identifier: "showUnsubscribing", summary: "A page that asks whether to get no more e-mail",
    details: """
      The link in an e-mail. The token names a person and a category to the service alone, and is \
      all that is asked for. Looking at the page changes nothing.
      """,
    answers: [Answer("A page with a button that posts", .text, type: "text/html")],
    problems: [.unknownLink, .conflictingLink])

  static let unsubscribe = Operation(
    identifier: "unsubscribe", summary: "Get no more e-mail of a category",
    details: """
      One-click unsubscribing (RFC 8058): the category's e-mail is switched off in the person's \
      preferences. multipart/form-data is taken as well. Again, it changes nothing; nor does it \
      for a person who has been erased.
      """,
    body: Body(
      Content(
        type: "application/x-www-form-urlencoded",
        schema: .object(.optional("List-Unsubscribe", .text)),
        example: ["List-Unsubscribe": "One-Click"])),
    answers: [Answer("A page that says so", .text, type: "text/html")],
    problems: [.unknownLink, .conflictingLink, .malformedText, .tooManyRequests])
}
