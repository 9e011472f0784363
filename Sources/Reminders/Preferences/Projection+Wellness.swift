extension Projection.Table {
  /// The notification settings of the wellness app.
  static var wellness: Projection.Table {
    let general: Rows = [("masterToggle", .setting("master")), ("preset", .preset)]
    return Projection.Table(
      catalog: "wellness",
      rows: general + dailyReminders + progress + education + clinical + engagement + delivery
        + schedule,
      envelope: "notificationSettings")
  }

  private typealias Rows = [(member: String, source: MemberSource<String>)]

  /// Returns rows for a group's parameters, which have the same names in both formats.
  private static func rows(
    _ member: String, _ group: String, _ parameters: [String]
  ) -> Rows {
    parameters.map { ("categories.\(member).\($0)", .setting("reminders.\(group).\($0)")) }
  }

  private static var dailyReminders: Rows {
    let meal = ["enabled", "time", "skipWeekends"]
    let daily = "dailyReminders"
    return rows("\(daily).meals", "meals", ["enabled"])
      + rows("\(daily).meals.breakfast", "breakfast", meal)
      + rows("\(daily).meals.lunch", "lunch", meal)
      + rows("\(daily).meals.dinner", "dinner", meal)
      + rows("\(daily).meals.snacks", "snacks", ["enabled", "frequency"])
      + rows("\(daily).weight", "weight", ["enabled", "days", "time", "persistence"])
      + rows("\(daily).exercise", "exercise", ["enabled", "time", "restDays", "adaptToSchedule"])
      + rows("\(daily).medication", "medication", ["enabled", "times", "refillAlert", "critical"])
  }

  private static var progress: Rows {
    rows("progress.weekly", "weekly", ["enabled"])
      + [("categories.progress.weekly.day", .day("reminders.weekly.days"))]
      + rows("progress.weekly", "weekly", ["time"])
      + rows("progress.milestones", "milestones", ["enabled", "immediate"])
      + rows("progress.streaks", "streaks", ["enabled", "threshold"])
  }

  private static var education: Rows {
    rows("education.newContent", "newContent", ["enabled", "frequency"])
      + rows("education.tips", "tips", ["enabled", "time", "categories"])
      + rows("education.reminders", "lessons", ["enabled", "incompleteLessons"])
  }

  private static var clinical: Rows {
    rows("clinical.appointments", "appointments", ["enabled", "advance", "includePrep"])
      + rows("clinical.messages", "messages", ["enabled", "priority"])
      + rows("clinical.labResults", "labResults", ["enabled", "immediate"])
  }

  private static var engagement: Rows {
    rows("engagement.motivation", "encouragement", ["enabled", "frequency", "personalized"])
      + rows("engagement.inactivity", "inactivity", ["enabled", "threshold", "escalation"])
  }

  private static var delivery: Rows {
    [
      ("delivery.push.enabled", .setting("channels.push")),
      ("delivery.push.sound", .sound),
      ("delivery.push.vibration", .setting("hints.vibration")),
      ("delivery.push.badges", .setting("hints.badge")),
      ("delivery.push.preview", .setting("hints.preview")),
      ("delivery.email.enabled", .setting("channels.email")),
      ("delivery.email.frequency", .setting("email.frequency")),
      ("delivery.email.types", .emailTypes(catalog: "wellness")),
      ("delivery.sms.enabled", .setting("channels.sms")),
      ("delivery.sms.criticalOnly", .setting("sms.criticalOnly")),
      ("delivery.sms.number", .profile(.phone)),
    ]
  }

  private static var schedule: Rows {
    [
      ("schedule.quietHours.enabled", .setting("quietHours.enabled")),
      ("schedule.quietHours.start", .setting("quietHours.start")),
      ("schedule.quietHours.end", .setting("quietHours.end")),
      ("schedule.quietHours.allowCritical", .setting("quietHours.allowCritical")),
      ("schedule.timezone", .timezone),
      ("schedule.vacation.mode", .setting("vacation.mode")),
      ("schedule.vacation.until", .setting("vacation.until")),
    ]
  }
}

extension Projection.Table {
  /// The notification settings of the UrbanNest app. Locked categories have no member (rule P3).
  /// Cancelled bookings are a separate category because they are urgent, but recipients see them as
  /// booking news. So the two categories share a switch.
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
