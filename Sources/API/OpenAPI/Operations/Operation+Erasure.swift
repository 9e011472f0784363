import HTTPTypes
import JSON

extension Operation {
  static let erase = Operation(
    identifier: "erase", summary: "Erase everything that is held of a person",
    details: """
      There is no way back. What sinks were handed is not in the service's reach. It is for \
      administrators.
      """,
    answers: [
      Answer(
        "Erased",
        .object(.init("recipient", .recipient), .init("erased", .instant))),
      Answer(
        status: .accepted, "Erased, but the store's files could not be cleaned yet; they will be",
        .object(
          .init("recipient", .recipient), .init("erased", .instant), .init("remains", .text))),
    ],
    problems: [.unknownRecipient, .unacceptableEvent])

  static let export = Operation(
    identifier: "export", summary: "Everything that is held of a person",
    answers: [
      Answer(
        "Facts, preferences, what is pending, analytics, events and notifications",
        .reference(.export))
    ],
    problems: [.unknownRecipient])
}
