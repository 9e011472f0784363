import HTTPTypes
import JSON
import Reminders

extension Operation {
  static let recipient = Operation(
    identifier: "recipient", summary: "A recipient's profile",
    details: "Profile and addresses, zone and local time, quiet hours, permissions, and devices; "
      + "the devices' tokens are left out.",
    answers: [Answer("The profile", .of(ProfilePayload.self))], problems: [.unknownRecipient])

  static let recipientEvents = Operation(
    identifier: "recipientEvents", summary: "The events of a recipient, the latest first",
    parameters: Parameter.page,
    answers: [Answer("A page of events", .of(EventPagePayload.self))],
    problems: [.unknownRecipient])

  static let recordTextView = Operation(
    identifier: "noteTextView",
    summary: "Record that support reads a recipient's texts",
    details: """
      Before this request, a token with the scope support gets notifications with empty texts, no \
      export, and streams with state events only. The request is valid for 12 hours, or until the \
      service restarts. The journal records the request with its caller. Support always sees \
      titles.
      """,
    answers: [Answer(status: .noContent, "Recorded")], problems: [.unknownRecipient])
}
