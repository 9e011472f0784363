import HTTPTypes
import JSON
import Reminders

extension Operation {
  static let recipient = Operation(
    identifier: "recipient", summary: "Who a person is to the service",
    details: "Their addresses, devices and permissions. A device's token is not told.",
    answers: [Answer("What is known", .of(ProfilePayload.self))], problems: [.unknownRecipient])

  static let recipientEvents = Operation(
    identifier: "recipientEvents", summary: "What was reported of a person, the latest first",
    parameters: Parameter.page,
    answers: [Answer("A page of events", .of(EventPagePayload.self))],
    problems: [.unknownRecipient])

  static let noteTextView = Operation(
    identifier: "noteTextView",
    summary: "Note that somebody else has read what a person is told",
    details: """
      A token with the scope support gets empty texts in the place of what a person is told, no \
      export, and of a stream the state alone, until it has asked here: for 12 hours, or until \
      the service starts anew. The journal has it with who did it. Titles are shown to support in \
      any case.
      """,
    answers: [Answer(status: .noContent, "It is noted")], problems: [.unknownRecipient])
}
