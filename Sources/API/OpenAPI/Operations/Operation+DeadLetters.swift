import Engine
import HTTPTypes
import JSON
import Reminders

extension Operation {
  /// Of all at once nothing is sent again, or thrown away.
  private static let choice = [
    Parameter.query("sink", .text, "Only those that this sink had last"),
    .query("recipient", .text, "Only those of this person"),
    .query("category", .text, "Only those of this category"),
    .query("reason", .text, "Only those with just this reason"),
  ]
  private static let page = choice + Parameter.page

  private static let searches = """
    A page may end before it is full, for a search looks only so far at a time; it goes on at next.
    """
  private static let narrows = "Which are meant must be said by at least one of these parameters. "

  static let deadLetters = Operation(
    identifier: "deadLetters", summary: "What no sink and no channel could deliver",
    details: searches, parameters: page,
    answers: [
      Answer("A page of them, the first to be decided first", .of(DeadLetterPagePayload.self))
    ])

  static let deadLetterGroups = Operation(
    identifier: "deadLetterGroups", summary: "How many dead letters there are of each sort",
    details: """
      The hundred that are most. Of very many dead letters the first 10,000 are counted; whole is \
      false then.
      """,
    parameters: [
      .query(
        "by", .word(DeadLetterGrouping.allCases.map(\.rawValue)),
        "What those of one sort have in common; reason unless given")
    ] + choice,
    answers: [
      Answer(
        "The sorts, the most first, and all that were counted",
        .of(DeadLetterGroupsPayload.self))
    ])

  static let resendDeadLetters = Operation(
    identifier: "resendDeadLetters", summary: "Send a page of dead letters again",
    details: narrows + "The gates are asked again; what they would drop stays a dead letter.",
    parameters: page, answers: [Answer("What became of each", receipt)])

  static let discardDeadLetters = Operation(
    identifier: "discardDeadLetters", summary: "Throw a page of dead letters away",
    details: narrows + searches, parameters: page, answers: [Answer("What became of each", receipt)]
  )

  static let resendDeadLetter = Operation(
    identifier: "resendDeadLetter", summary: "Send a dead letter again, the whole way",
    details: "The gates are asked again; what they would drop stays a dead letter.",
    answers: [Answer("What became of it", receipt)], problems: [.unknownDeadLetter])

  static let discardDeadLetter = Operation(
    identifier: "discardDeadLetter", summary: "Throw a dead letter away",
    answers: [Answer("What became of it", receipt)], problems: [.unknownDeadLetter])

  private static let receipt = Schema.of(DeadLetterReceiptPayload.self)
}

extension Operation {
  static let test = Operation(
    identifier: "test", summary: "Send a test notification and tell each step of its way",
    details: """
      It goes the whole way, but for the gates that hold: reachability, route, each attempt, \
      outcome. The answer comes line by line as it happens, and ends when the test has arrived, \
      when it is given up, or when it has been waited for long enough. It is for administrators.
      """,
    parameters: [
      .query(
        "wait", .integer(0...50),
        "How many seconds to wait for the end; 15 unless given")
    ],
    body: Body(
      Content(schema: .of(TestBody.self), example: ["channel": "push", "title": "Test"])),
    answers: [
      Answer(
        "The steps", .text.described("A line of JSON for each, which is a TestLine"),
        type: "application/x-ndjson")
    ],
    problems: [.unknownRecipient, .invalidBody])
}
