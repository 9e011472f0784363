import CivilTime

/// A setting that every recipient has, whatever the catalogs declare. The raw value is the index in
/// `Settings`.
package enum BuiltInSetting: Int, CaseIterable, Sendable {
  /// The switch that takes precedence over all others (rule P2).
  case master
  /// The switches of the channels.
  case push, email, sms, inapp
  /// The first window of the quiet hours, and whether critical notifications pass quiet hours.
  case quietEnabled, quietStart, quietEnd, quietDays, quietAllowCritical
  /// Whether the recipient is on vacation, and the last date of that vacation.
  case vacationMode, vacationUntil
  /// Whether weekends and holidays are days of rest, and the days of the recipient's weekend.
  case skipWeekends, skipHolidays, weekend
  /// The limits on interrupting notifications (rule V5).
  case capPerDay, minimumInterval
  /// The number of notifications held back by gates from which a digest is sent (rule V6). With 0,
  /// only collected e-mail is sent as a digest.
  case bundlingThreshold
  /// The display of notifications on a device (`Hints`).
  case sound, tone, vibration, badge, preview
  /// Whether e-mail is collected daily or weekly, and the time and the day of the collection.
  case emailFrequency, emailTime, emailDay
  /// Whether SMS is used only for critical categories.
  case smsCriticalOnly
  /// Whether the badge counts unread items of the inbox or delivered notifications (rule N6).
  case badgeCounts
  /// The start of the recipient's day where no quiet window defines it (rule V9).
  case dayStart
  /// Whether channels that other people may see show discreet texts (rule D17).
  case discreet

  /// The path in the preferences document.
  package var path: String {
    switch self {
    case .master: "master"
    case .push: "channels.push"
    case .email: "channels.email"
    case .sms: "channels.sms"
    case .inapp: "channels.inapp"
    case .quietEnabled: "quietHours.enabled"
    case .quietStart: "quietHours.start"
    case .quietEnd: "quietHours.end"
    case .quietDays: "quietHours.days"
    case .quietAllowCritical: "quietHours.allowCritical"
    case .vacationMode: "vacation.mode"
    case .vacationUntil: "vacation.until"
    case .skipWeekends: "calendar.skipWeekends"
    case .skipHolidays: "calendar.skipHolidays"
    case .weekend: "calendar.weekend"
    case .capPerDay: "caps.perDay"
    case .minimumInterval: "caps.minInterval"
    case .bundlingThreshold: "bundling.threshold"
    case .sound: "hints.sound"
    case .tone: "hints.tone"
    case .vibration: "hints.vibration"
    case .badge: "hints.badge"
    case .preview: "hints.preview"
    case .emailFrequency: "email.frequency"
    case .emailTime: "email.time"
    case .emailDay: "email.day"
    case .smsCriticalOnly: "sms.criticalOnly"
    case .badgeCounts: "hints.badgeCounts"
    case .dayStart: "dayStart"
    case .discreet: "hints.discreet"
    }
  }

  var kind: SettingKind {
    switch self {
    case .quietStart, .quietEnd, .emailTime, .dayStart: .time
    case .quietDays, .weekend: .days
    case .vacationUntil: .date
    case .capPerDay: .limit(1...1_000)
    case .minimumInterval: .duration
    case .bundlingThreshold: .count(0...1_000)
    // The choice of the sound is separate from the switch for sounds. So it stays while sounds are
    // switched off.
    case .tone: .choice(["default", "custom"])
    case .preview: .choice(["always", "unlocked", "never"])
    case .emailFrequency: .choice(["immediate", "daily", "weekly"])
    case .emailDay: .choice(Weekday.allCases.map(\.name))
    case .badgeCounts: .choice(["unread", "delivered"])
    default: .toggle
    }
  }

  /// The default value (rule P6).
  var initial: Int64 {
    switch self {
    case .quietEnabled, .vacationMode, .skipWeekends, .skipHolidays, .tone, .preview,
      .emailFrequency, .emailDay, .smsCriticalOnly, .badgeCounts:
      0
    case .quietStart: 21 * 60
    case .quietEnd, .emailTime, .dayStart: 8 * 60
    case .quietDays: 0b111_1111
    case .weekend: 0b110_0000
    case .vacationUntil, .capPerDay, .minimumInterval: SettingKind.unset
    case .bundlingThreshold: 3
    default: 1
    }
  }
}
