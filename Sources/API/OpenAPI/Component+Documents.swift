import JSON
import Reminders

/// Documents that clients write: recipients' preferences.
extension Component {
  /// All settings of a recipient, to save elsewhere and restore (rule P4).
  static var preferencesExportSchema: Schema {
    .object(
      .init("version", .integer(1...1)), .init("preferences", .reference(.preferences)))
  }

  /// The notification settings of the UrbanNest app.
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
