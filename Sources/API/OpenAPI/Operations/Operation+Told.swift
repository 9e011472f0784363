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
      .query("part", .word(ToldQuestion.Part.allCases.map(\.rawValue)), "recent unless given"),
      .query("q", .text, "Words that are all in the title or the body"),
      .query("category", .text, "A category"),
      .query("channel", .word(Channel.allCases.map(\.name)), "A channel that it went out on"),
      .query(
        "outcome", .word(ToldQuestion.outcomes + [ToldQuestion.anyOutcome]),
        "delivered unless given"),
      .query("from", .instant, "Not before this"), .query("to", .instant, "Before this"),
      .query(
        "limit", .integer(1...Int64(ToldQuestion.limitMax)),
        "How many at most; 100 unless given"),
      .query("after", .text, "The \"next\" of the page before"),
    ],
    answers: [Answer("A page of it", .reference(.toldPage))], problems: [.unknownRecipient])

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
      Answer("The number", .object(.init("badge", .count)), example: ["badge": 3]),
      Answer(status: .noContent, "The person wants no badge"),
    ],
    problems: [.unknownRecipient])

  private static let dismissed = Schema.object(
    .init("dismissed", .count),
    .optional("badge", Schema.count.described("Absent for a person who wants no badge")))
}
