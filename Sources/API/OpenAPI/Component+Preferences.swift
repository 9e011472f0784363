import JSON

extension Component {
  /// What a write changes (rule P5).
  static var consequencesSchema: Schema {
    .object(
      .init("version", .count), .init("dryRun", .boolean), .init("changes", .list(change)),
      .init("warnings", .list(.text)))
  }

  private static var change: Schema {
    .object(
      .init("change", .word(["moved", "cancelled", "added"])), .init("reminder", .text),
      .init("title", .text), .init("channels", channels), .init("before", Schema.instant.orNull),
      .init("beforeLocal", Schema.localTime.orNull), .init("after", Schema.instant.orNull),
      .init("afterLocal", Schema.localTime.orNull), .init("reasons", reasons))
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
