import Engine
import HTTPTypes
import JSON
import Reminders

extension Operation {
  /// The filters of dead letters. Resending and discarding require at least one filter.
  private static let filters = [
    Parameter.query("sink", .text, "Only dead letters whose last sink was this one"),
    .query("recipient", .text, "Only dead letters of this recipient"),
    .query("category", .text, "Only dead letters of this category"),
    .query("reason", .text, "Only dead letters with exactly this reason"),
  ]
  private static let page = filters + Parameter.page

  private static let searchNote = """
    One request examines a limited number of dead letters, so a page may be shorter than its \
    limit. "next" is null only at the end.
    """
  private static let filterNote = "At least one filter is required. "

  static let deadLetters = Operation(
    identifier: "deadLetters", summary: "Dead letters: deliveries without an attempt left",
    details: searchNote, parameters: page,
    answers: [
      Answer("A page of dead letters, the oldest first", .of(DeadLetterPagePayload.self))
    ])

  static let deadLetterGroups = Operation(
    identifier: "deadLetterGroups", summary: "Count dead letters by group",
    details: """
      The 100 largest groups. At most the first 10,000 dead letters are counted; if there are \
      more, whole is false.
      """,
    parameters: [
      .query(
        "by", .word(DeadLetterGrouping.allCases.map(\.rawValue)),
        "The common property of a group; default: reason")
    ] + filters,
    answers: [
      Answer(
        "The groups, the largest first, and the total counted",
        .of(DeadLetterGroupsPayload.self))
    ])

  static let resendDeadLetters = Operation(
    identifier: "resendDeadLetters", summary: "Send a page of dead letters again",
    details: filterNote
      + "The gates are evaluated again; deliveries that they would drop stay dead letters.",
    parameters: page, answers: [Answer("The outcome of each", receipt)])

  static let discardDeadLetters = Operation(
    identifier: "discardDeadLetters", summary: "Discard a page of dead letters",
    details: filterNote + searchNote, parameters: page,
    answers: [Answer("The outcome of each", receipt)]
  )

  static let resendDeadLetter = Operation(
    identifier: "resendDeadLetter", summary: "Send a dead letter again, from its first sink",
    details: "The gates are evaluated again; a delivery that they would drop stays a dead letter.",
    answers: [Answer("The outcome", receipt)], problems: [.unknownDeadLetter])

  static let discardDeadLetter = Operation(
    identifier: "discardDeadLetter", summary: "Discard a dead letter",
    answers: [Answer("The outcome", receipt)], problems: [.unknownDeadLetter])

  private static let receipt = Schema.of(DeadLetterReceiptPayload.self)
}

extension Operation {
  static let test = Operation(
    identifier: "test", summary: "Send a test notification and report each step",
    details: """
      The test notification is sent like a real one, but no gate holds it. The response has a line \
      for each step when it happens: reachability, route, each attempt, outcome. The response ends \
      when the test has arrived or failed, or after the wait. For administrators and support.
      """,
    parameters: [
      .query(
        "wait", .integer(TestNotificationRoute.waits),
        "The maximum wait for the outcome in seconds; default: 15")
    ],
    body: Body(
      Content(schema: .of(TestBody.self), example: ["channel": "push", "title": "Test"])),
    answers: [
      Answer(
        "The steps", .text.described("A line of JSON for each step: a TestLine"),
        type: "application/x-ndjson")
    ],
    problems: [.unknownRecipient, .invalidBody])
}
