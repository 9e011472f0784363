import JSON
import Reminders

extension Component {
  /// What a write changes (rule P5).
  static var consequencesSchema: Schema {
    .object(
      .init("version", .count), .init("dryRun", .boolean), .init("changes", .list(change)),
      .init("warnings", .list(.text)))
  }

  static var change: Schema {
    .object(
      .init("change", .word(["moved", "cancelled", "added"])), .init("reminder", .text),
      .init("title", .text), .init("channels", channels), .init("before", Schema.instant.orNull),
      .init("beforeLocal", Schema.localTime.orNull), .init("after", Schema.instant.orNull),
      .init("afterLocal", Schema.localTime.orNull), .init("reasons", reasons))
  }

  /// All of a person's settings, to be kept elsewhere and brought back (rule P4).
  static var preferencesExportSchema: Schema {
    .object(
      .init("version", .integer(1...1)), .init("preferences", .reference(.preferences)))
  }

  static var presetSchema: Schema {
    .object(
      .init("name", .word(Preset.names + [Preset.custom])),
      .init("own", Schema.boolean.described("Whether the person saved it")),
      .init("current", Schema.boolean.described("Whether the switches are as it has them")),
      .init("switches", Schema.object.described("What it switches, as preferences have it")))
  }

  static var presetsSchema: Schema {
    .object(.init("current", .text), .init("presets", .list(.reference(.preset))))
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
