import JSON
import Reminders

extension Component {
  /// What sinks are handed, and streams send.
  static var deliverySchema: Schema {
    .object(
      .init("id", .text.described("The notification's; the same on all its channels")),
      .init("recipient", .recipient), .init("reminder", .text), .init("category", .text),
      .init("channel", .word(Channel.allCases.map(\.name))), .init("title", .text),
      .init("body", .text), .optional("silent", .boolean),
      .optional("hints", hints.described("What differs from what is usual")),
      .optional("digest", .list(.text).described("The reminders that it is made of")),
      .optional("details", .object),
      .optional("traceparent", .text.described("That of the event that it comes from")),
      .optional("tracestate", .text), .init("planned", .instant),
      .init("at", .instant.described("When it was decided")))
  }

  private static let hints = Schema.object(
    .optional("sound", .word(["none", "custom"])), .optional("vibration", .boolean),
    .optional("badge", .boolean), .optional("preview", .word(["unlocked", "never"])))
}
