import HTTPTypes
import JSON

extension Operation {
  static let scheduled = Operation(
    identifier: "scheduled", summary: "What is scheduled for a person, soonest first",
    details: "Like what is pending, with ids, and one entry for what goes out on several ways.",
    parameters: [
      .query("limit", .integer(1...1_000), "How many at most; 100 unless given"),
      .query("after", .text, "The \"next\" of the page before"),
    ],
    answers: [Answer("A page of it", .reference(.scheduledPage))], problems: [.unknownRecipient])

  static let cancelScheduled = Operation(
    identifier: "cancelScheduled",
    summary: "Cancel one occurrence of a reminder, or its whole series",
    parameters: [
      .query("series", .boolean, "Whether all that come after it are cancelled too")
    ],
    answers: [changed], problems: [.unknownRecipient, .unknownNotification, .invalidBody])

  static let snoozeScheduled = Operation(
    identifier: "snoozeScheduled", summary: "Let an occurrence of a reminder come later",
    details: """
      So much later than its planned instant ("for"), or not before another ("until"); never \
      earlier than planned. The name of a reminder, instead of an id, means its next occurrence. \
      The answer says for when it is planned now; gates may hold it there.
      """,
    body: Body(
      Content(
        schema: .object(.optional("until", .instant), .optional("for", .duration)),
        example: ["for": "30m"])),
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
      Answer(
        "What will go out by push, soonest first",
        .object(
          .init("recipient", .recipient), .init("zone", .text), .init("now", .instant),
          .init("projection", .list(.reference(.projected), atMost: ScheduledRoutes.projectionMax)))
      )
    ],
    problems: [.unknownRecipient])

  private static let snoozed = Answer(
    "For when it is planned now, and what that changes", .reference(.snoozed))

  private static let changed = Answer("What it changes", .reference(.changes))
}
