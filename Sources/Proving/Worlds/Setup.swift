import JSON
import Reminders

/// The settings with which a person gets certain reminders.
struct Setup {
  private let schema: SettingsSchema
  private(set) var settings: Settings
  /// The settings that differ from their defaults, as a preferences document.
  private(set) var data = PreferenceData()

  init(_ catalog: Catalog) {
    schema = catalog.settings
    settings = Settings(schema: schema, registers: [])
  }

  /// Sets the setting with this index, unless it is locked.
  mutating func set(_ index: Int, to value: Int64) {
    guard settings[index] != value, !schema.definitions[index].isLocked else { return }
    settings[index] = value
    data.set(schema.definitions[index], to: value)
  }

  /// Removes the quiet hours and the caps that the operator gives by default (rule V19).
  mutating func removeDefaultLimits() {
    set(BuiltInSetting.quietEnabled.rawValue, to: 0)
    if schema.greatestCap == nil {
      set(BuiltInSetting.capPerDay.rawValue, to: SettingKind.unset)
    }
    if schema.leastInterval == nil {
      set(BuiltInSetting.minimumInterval.rawValue, to: SettingKind.unset)
    }
  }

  /// Switches on a reminder and meets its conditions. If all of its channels are off, they are
  /// switched on too.
  mutating func switchOn(_ declared: DeclaredReminder) {
    let reminder = declared.reminder
    set(reminder.groupSwitch, to: 1)
    for condition in reminder.conditions { meet(condition) }
    let channels = declared.category.channels.filter {
      reminder.channels.contains(ChannelSet($0.channel)) && !$0.isOnlyFallback
    }
    if !channels.contains(where: { settings.isOn($0.setting) }) {
      for channel in channels { set(channel.setting, to: 1) }
    }
  }

  /// Sets the condition's setting to the lowest value below 64 that meets it.
  private mutating func meet(_ condition: SettingCondition) {
    guard !condition.holds(settings) else { return }
    var candidate = settings
    for value in Int64(0)..<64 {
      candidate[condition.setting] = value
      if condition.holds(candidate) { return set(condition.setting, to: value) }
    }
  }
}
