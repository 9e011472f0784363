package import CivilTime

/// A recipient's effective settings: the defaults, overridden by the recipient's changes.
///
/// Notifications of a category use a channel only if three switches are on (rule P2): the master
/// switch, the channel's switch, and the category's switch for the channel. A switch keeps its
/// value while a switch above it is off.
package struct Settings: Sendable {
  /// The stored numbers, by the index of the setting in the schema.
  private var values: [Int64]
  /// The further windows of quiet hours (rule P9).
  private let quietWindows: [QuietWindow]

  package init(schema: SettingsSchema, registers: [Facts.SettingRegister]) {
    values = schema.initialValues
    quietWindows = QuietWindow.windows(in: registers)
    var (setsStart, setsEnd) = (false, false)
    for register in registers {
      guard let index = schema.index(of: register.path) else { continue }
      values[index] = register.value
      setsStart = setsStart || index == BuiltInSetting.quietStart.rawValue
      setsEnd = setsEnd || index == BuiltInSetting.quietEnd.rawValue
    }
    // If the recipient has set only one of the two times, the other is the built-in default. With
    // the operator's default, it could make a window that the recipient did not choose.
    if setsStart != setsEnd {
      let other = setsStart ? BuiltInSetting.quietEnd : .quietStart
      values[other.rawValue] = other.initial
    }
    schema.applyLimits(to: &values)
  }

  /// The stored number of the setting with an index in the schema.
  package subscript(index: Int) -> Int64 {
    get { values[index] }
    set { values[index] = newValue }
  }

  package subscript(setting: BuiltInSetting) -> Int64 {
    values[setting.rawValue]
  }

  package func isOn(_ index: Int) -> Bool { values[index] != 0 }
  package func isOn(_ setting: BuiltInSetting) -> Bool { self[setting] != 0 }

  /// Returns the value of a setting with a time of day.
  package func time(_ index: Int) -> LocalTime {
    LocalTime(minuteOfDay: Int(values[index])) ?? .midnight
  }

  /// The last local date of the vacation (rule V4); nil without a vacation. A vacation without an
  /// end has the last date `distantFuture`.
  package var vacationUntil: LocalDate? {
    guard isOn(.vacationMode) else { return nil }
    guard self[.vacationUntil] != SettingKind.unset else { return Self.distantFuture }
    return LocalDate(daysSinceEpoch: Int(clamping: self[.vacationUntil]))
  }

  /// A date about 8,000 years ahead, within the range of `Instant`.
  private static let distantFuture = LocalDate(daysSinceEpoch: 2_900_000)

  /// Returns the start of the recipient's day on a date (rule V9).
  func dayStart(on date: LocalDate, in zone: Zone) -> Instant {
    quietHours.dayStart(
      on: date, declared: time(BuiltInSetting.dayStart.rawValue), in: zone)
  }

  /// Whether deliveries are limited by a cap or a minimum interval (rule V5).
  var limitsDeliveries: Bool { capPerDay != nil || minimumInterval != nil }

  /// The maximum number of counted deliveries on a local date; nil for any number.
  package var capPerDay: Int? {
    self[.capPerDay] == SettingKind.unset ? nil : Int(clamping: self[.capPerDay])
  }

  /// The least span between two counted deliveries; nil for none.
  package var minimumInterval: TimeSpan? {
    let span = self[.minimumInterval]
    return span == SettingKind.unset || span == 0 ? nil : TimeSpan(milliseconds: span)
  }

  package var quietHours: QuietHours {
    QuietHours(
      isEnabled: isOn(.quietEnabled),
      start: time(BuiltInSetting.quietStart.rawValue),
      end: time(BuiltInSetting.quietEnd.rawValue),
      days: self[.quietDays],
      allowsCritical: isOn(.quietAllowCritical), others: quietWindows)
  }
}
