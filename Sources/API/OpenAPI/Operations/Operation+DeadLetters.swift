import Engine
import HTTPTypes
import JSON
import Reminders

extension Operation {
  /// The filters of dead letters. Without one, none are sent again or discarded.
  private static let choice = [
    Parameter.query("sink", .text, "Only those whose last sink was this one"),
    .query("recipient", .text, "Only those of this recipient"),
    .query("category", .text, "Only those of this category"),
    .query("reason", .text, "Only those with exactly this reason"),
  ]
  private static let page = choice + Parameter.page

  private static let searches = """
    A search examines a limited number of dead letters at a time, so a page may end before it is \
    full; "next" continues it.
    """
  private static let narrows = "At least one filter is required. "

  static let deadLetters = Operation(
    identifier: "deadLetters", summary: "Dead letters: deliveries without an attempt left",
    details: searches, parameters: page,
    answers: [
      Answer("A page of dead letters, the oldest first", .of(DeadLetterPagePayload.self))
    ])

  static let deadLetterGroups = Operation(
    identifier: "deadLetterGroups", summary: "Count dead letters by group",
    details: """
      The 100 largest groups. At most the first 10,000 dead letters are counted; whole is false \
      beyond that.
      """,
    parameters: [
      .query(
        "by", .word(DeadLetterGrouping.allCases.map(\.rawValue)),
        "The common property of a group; default: reason")
    ] + choice,
    answers: [
      Answer(
        "The groups, the largest first, and the total counted",
        .of(DeadLetterGroupsPayload.self))
    ])

  static let resendDeadLetters = Operation(
    identifier: "resendDeadLetters", summary: "Send a page of dead letters again",
    details: narrows
      + "The gates are evaluated again; deliveries that they would drop stay dead letters.",
    parameters: page, answers: [Answer("The outcome of each", receipt)])

  static let discardDeadLetters = Operation(
    identifier: "discardDeadLetters", summary: "Discard a page of dead letters",
    details: narrows + searches, parameters: page, answers: [Answer("The outcome of each", receipt)]
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
      The test passes every step except the gates that hold: reachability, route, each attempt, \
      outcome. The response is a line for each step as it happens. It ends when the test has \
      arrived, has failed, or the wait is over. For administrators and support.
      """,
    parameters: [
      .query(
        "wait", .integer(0...50),
        "How many seconds to wait for the end; default: 15")
    ],
    body: Body(
      Content(schema: .of(TestBody.self), example: ["channel": "push", "title": "Test"])),
    answers: [
      Answer(
        "The steps", .text.described("A line of JSON for each, a TestLine"),
        type: "application/x-ndjson")
    ],
    problems: [.unknownRecipient, .invalidBody])
}
