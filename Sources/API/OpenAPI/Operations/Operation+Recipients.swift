import HTTPTypes
import JSON

extension Operation {
  static let pending = Operation(
    identifier: "pending", summary: "What is pending for a person, soonest first",
    parameters: [
      .query("limit", .integer(1...1_000), "How many at most; 100 unless given"),
      .query("after", .text, "The \"next\" of the page before"),
    ],
    answers: [
      Answer(
        "A page of it", .reference(.pendingPage), example: pendingPage)
    ],
    problems: [.unknownRecipient])

  static let ahead = Operation(
    identifier: "ahead", summary: "What will be delivered and dropped in the next days",
    parameters: [.query("days", .integer(1...366), "How many days; 7 unless given")],
    answers: [Answer("The timeline", .reference(.timeline))], problems: [.unknownRecipient])

  static let explain = Operation(
    identifier: "explain", summary: "Why something goes when it goes, gate by gate",
    details: """
      Of what is pending: give reminder. Of what is past: give notification. Of what might be: \
      give category, and at unless it is now.
      """,
    parameters: [
      .query("reminder", .text, "The identifier of a reminder"),
      .query("notification", .text, "The id of a notification, as deliveries carry it"),
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
