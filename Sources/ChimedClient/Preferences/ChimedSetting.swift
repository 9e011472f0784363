/// A setting of a recipient, with the type of its values.
///
/// The members of this type are the settings that every recipient has. Catalogs declare more, in
/// their groups and categories: `ChimedSetting<ChimedTimeOfDay>("reminders.checkin.time")`.
public struct ChimedSetting<Value: ChimedSettingValue>: Hashable, Sendable {
  /// The path in the document of preferences.
  public let path: String

  public init(_ path: String) {
    self.path = path
  }
}

extension ChimedSetting<Bool> {
  /// The switch for all notifications, except those of locked and mandatory categories.
  public static var master: Self { Self("master") }
  /// Whether notifications are sent to devices.
  public static var push: Self { Self("channels.push") }
  /// Whether notifications are sent by e-mail.
  public static var email: Self { Self("channels.email") }
  /// Whether notifications are sent by SMS.
  public static var sms: Self { Self("channels.sms") }
  /// Whether notifications are written to the inbox.
  public static var inapp: Self { Self("channels.inapp") }
  /// Whether quiet hours apply.
  public static var quietHoursEnabled: Self { Self("quietHours.enabled") }
  /// Whether critical notifications are sent during quiet hours.
  public static var quietHoursAllowCritical: Self { Self("quietHours.allowCritical") }
  /// Whether the recipient is on vacation: through `vacationUntil`, if that is set.
  public static var vacationMode: Self { Self("vacation.mode") }
  /// Whether the days of `weekend` are days of rest, without notifications below critical.
  public static var skipWeekends: Self { Self("calendar.skipWeekends") }
  /// Whether holidays of the recipient's region are days of rest.
  public static var skipHolidays: Self { Self("calendar.skipHolidays") }
  /// Whether notifications may make a sound.
  public static var sound: Self { Self("hints.sound") }
  /// Whether notifications may make the device vibrate.
  public static var vibration: Self { Self("hints.vibration") }
  /// Whether the app's icon shows a number.
  public static var badge: Self { Self("hints.badge") }
  /// Whether discreet texts replace the others where the catalog has such texts.
  public static var discreet: Self { Self("hints.discreet") }
  /// Whether only critical notifications are sent by SMS.
  public static var smsCriticalOnly: Self { Self("sms.criticalOnly") }
}

extension ChimedSetting<ChimedTimeOfDay> {
  /// When quiet hours begin.
  public static var quietHoursStart: Self { Self("quietHours.start") }
  /// When quiet hours end; an end that is not after the start is on the next date.
  public static var quietHoursEnd: Self { Self("quietHours.end") }
  /// When collected e-mails are sent.
  public static var emailTime: Self { Self("email.time") }
  /// When the recipient's day begins, for the caps.
  public static var dayStart: Self { Self("dayStart") }
}

extension ChimedSetting<[ChimedWeekday]> {
  /// The days on which quiet hours begin.
  public static var quietHoursDays: Self { Self("quietHours.days") }
  /// The days that `skipWeekends` makes days of rest.
  public static var weekend: Self { Self("calendar.weekend") }
}

extension ChimedSetting<String?> {
  /// The last day of the vacation: `2026-12-24`.
  public static var vacationUntil: Self { Self("vacation.until") }
  /// The last day of the announced vacation that begins on a day; nil cancels the vacation. Both
  /// are local dates: `2026-12-24`.
  public static func announcedVacation(from day: String) -> Self {
    Self("vacation.announced.\(day)")
  }
  /// The minimum time between two interrupting notifications: `2h`.
  public static var minimumInterval: Self { Self("caps.minInterval") }
}

extension ChimedSetting<Int?> {
  /// The maximum number of interrupting notifications in a day.
  public static var capPerDay: Self { Self("caps.perDay") }
}

extension ChimedSetting<Int> {
  /// The smallest number of notifications at one instant that become a digest; 0 if notifications
  /// never become a digest.
  public static var bundlingThreshold: Self { Self("bundling.threshold") }
}

extension ChimedSetting<String> {
  /// The sound of notifications: `default` or `custom`.
  public static var tone: Self { Self("hints.tone") }
  /// When the text is shown on a locked screen: `always`, `unlocked` or `never`.
  public static var preview: Self { Self("hints.preview") }
  /// When e-mails are sent: `immediate`, or collected as `daily` or `weekly`.
  public static var emailFrequency: Self { Self("email.frequency") }
  /// The notifications that the badge counts: `unread` or `delivered`.
  public static var badgeCounts: Self { Self("hints.badgeCounts") }
}

extension ChimedSetting<ChimedWeekday> {
  /// The day on which weekly e-mails are sent.
  public static var emailDay: Self { Self("email.day") }
}
