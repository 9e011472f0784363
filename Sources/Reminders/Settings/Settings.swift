package import CivilTime

/// A recipient's effective settings: the defaults with what they changed on top.
///
/// Effective is master AND channel AND category (rule P2); each bit is kept as it was written, so
/// switching one back on restores what was under it.
package struct Settings: Sendable {
  private var values: [Int64]

  package init(schema: SettingsSchema, registers: [Facts.SettingRegister]) {
    values = schema.initialValues
    for register in registers {
      if let index = schema.index(of: register.path) { values[index] = register.value }
    }
  }

  package subscript(index: Int) -> Int64 {
    get { values[index] }
    set { values[index] = newValue }
  }

  package subscript(setting: BuiltInSetting) -> Int64 {
    values[setting.rawValue]
  }

  package func isOn(_ index: Int) -> Bool { values[index] != 0 }
  package func isOn(_ setting: BuiltInSetting) -> Bool { self[setting] != 0 }

  package func time(_ index: Int) -> LocalTime {
    LocalTime(minuteOfDay: Int(values[index])) ?? .midnight
  }

  package var quietHours: QuietHours {
    QuietHours(
      isEnabled: isOn(.quietEnabled),
      start: time(BuiltInSetting.quietStart.rawValue),
      end: time(BuiltInSetting.quietEnd.rawValue),
      days: self[.quietDays],
      allowsCritical: isOn(.quietAllowCritical))
  }
}
