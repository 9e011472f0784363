import HTTPTypes
import JSON
import Reminders

extension Operation {
  static let recipient = Operation(
    identifier: "recipient", summary: "Who a person is to the service",
    details: "Their addresses, devices and permissions. A device's token is not told.",
    answers: [Answer("What is known", profile)], problems: [.unknownRecipient])

  static let recipientEvents = Operation(
    identifier: "recipientEvents", summary: "What was reported of a person, the latest first",
    parameters: Parameter.page,
    answers: [
      Answer(
        "A page of events",
        .object(.init("events", .list(Component.keptEvent)), .init("next", Schema.text.orNull)))
    ],
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

  private static var profile: Schema {
    let device = Schema.object(
      .init("deviceId", .text), .init("platform", .text), .init("since", .instant))
    return .object(
      .init("recipient", .recipient), .init("created", Schema.instant.orNull),
      .init("now", .instant), .init("zone", .text), .init("zoneIsDefault", .boolean),
      .init("local", .localTime.described("What the person's clock shows now")),
      .init("quietUntil", Schema.instant.orNull.described("Null outside of quiet hours")),
      .init("profile", .object), .init("devices", .list(device)), .init("permissions", .object))
  }
}
