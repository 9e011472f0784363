import HTTPTypes
import JSON
import Reminders

extension Operation {
  static let recipient = Operation(
    identifier: "recipient", summary: "Who a person is to the service",
    details: "Their addresses, devices and permissions. A device's token is not told.",
    answers: [Answer("What is known", profile)], problems: [.unknownRecipient])

  static let noteTextView = Operation(
    identifier: "noteTextView",
    summary: "Note that somebody else has read what a person is told",
    details: """
      For pages that keep texts hidden until they are asked for. Changes nothing but the journal, \
      which has it with who did it.
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
