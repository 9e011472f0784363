extension Projection.Table {
  /// The notification settings of the UrbanNest app. What is locked has no member (rule P3). A
  /// cancelled booking is a category of its own because it is urgent, yet to the person it is news
  /// of a booking, so it goes by their switch.
  static var urbannest: Projection.Table {
    Projection.Table(
      catalog: "urbannest",
      rows: [
        ("push.enabled", .setting("channels.push")),
        ("push.bookingUpdates", booking("BOOKING_UPDATES", "push")),
        ("push.paymentNotifications", .setting("categories.PAYMENTS.push")),
        ("push.promotions", .setting("categories.PROMOTIONS.push")),
        ("push.serviceReminders", .setting("categories.SERVICE_REMINDERS.push")),
        ("push.providerUpdates", .setting("categories.PROVIDER_UPDATES.push")),
        ("push.reviewReminders", .setting("categories.REVIEWS.push")),
        ("email.enabled", .setting("channels.email")),
        ("email.bookingConfirmations", booking("BOOKING_CONFIRMATIONS", "email")),
        ("email.invoices", .setting("categories.INVOICES.email")),
        ("email.weeklySummary", .setting("categories.WEEKLY_SUMMARY.email")),
        ("email.promotions", .setting("categories.PROMOTIONS.email")),
        ("email.newsletter", .setting("categories.NEWSLETTER.email")),
        ("sms.enabled", .setting("channels.sms")),
        ("sms.bookingConfirmations", booking("BOOKING_CONFIRMATIONS", "sms")),
        ("sms.serviceReminders", .setting("categories.SERVICE_REMINDERS.sms")),
        ("sms.paymentUpdates", .setting("categories.PAYMENTS.sms")),
        ("dnd.enabled", .setting("quietHours.enabled")),
        ("dnd.startTime", .setting("quietHours.start")),
        ("dnd.endTime", .setting("quietHours.end")),
        ("inApp.sound", .setting("hints.sound")),
        ("inApp.vibration", .setting("hints.vibration")),
        ("inApp.badgeCount", .setting("hints.badge")),
      ])
  }

  private static func booking(_ category: String, _ channel: String) -> MemberSource<String> {
    .switches(["categories.\(category).\(channel)", "categories.BOOKING_CANCELLATIONS.\(channel)"])
  }
}
