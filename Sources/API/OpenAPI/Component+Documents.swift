import JSON
import Reminders

/// Documents that others write: what sinks are handed, and people's preferences.
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

  /// All of a person's settings, to be kept elsewhere and brought back (rule P4).
  static var preferencesExportSchema: Schema {
    .object(
      .init("version", .integer(1...1)), .init("preferences", .reference(.preferences)))
  }

  /// The document of the UrbanNest app's notification settings.
  static var customerPreferencesSchema: Schema {
    func switches(_ names: String...) -> Schema {
      .object(names.map { .optional($0, .boolean) })
    }
    return .object(
      .optional(
        "push",
        switches(
          "enabled", "bookingUpdates", "paymentNotifications", "promotions", "serviceReminders",
          "providerUpdates", "reviewReminders")),
      .optional(
        "email",
        switches(
          "enabled", "bookingConfirmations", "invoices", "weeklySummary", "promotions",
          "newsletter")),
      .optional(
        "sms", switches("enabled", "bookingConfirmations", "serviceReminders", "paymentUpdates")),
      .optional(
        "dnd",
        .object(
          .optional("enabled", .boolean), .optional("startTime", .localTimeOfDay),
          .optional("endTime", .localTimeOfDay))),
      .optional("inApp", switches("sound", "vibration", "badgeCount")))
  }
}
