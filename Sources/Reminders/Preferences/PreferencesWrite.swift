/// What a write of a form changes: settings, and the profile's fields that the form shows among
/// them. Empty if it says nothing new.
package struct PreferencesWrite: Hashable, Sendable {
  package var settings: [SettingChange] = []
  package var profile: [ProfileChange] = []

  package init(settings: [SettingChange] = [], profile: [ProfileChange] = []) {
    self.settings = settings
    self.profile = profile
  }

  package var isEmpty: Bool { settings.isEmpty && profile.isEmpty }

  mutating func add(_ other: PreferencesWrite) {
    settings += other.settings
    profile += other.profile
  }
}

extension [SettingChange] {
  /// Those that make a setting or a switch of the own preset other than it is.
  func effective(in situation: Situation) -> [SettingChange] {
    let schema = situation.catalog.settings
    return filter { change in
      schema.index(of: change.path).map { situation.settings[$0] != change.value } ?? true
    }
  }

  /// Rule P7, against what is stored: a window that a write leaves without a length is refused.
  func checkQuietHours(
    in situation: Situation, orThrow refusal: Refusal
  ) throws(Refusal) {
    func value(_ setting: BuiltInSetting) -> Int64 {
      last { $0.path == Symbol(setting.path) }?.value ?? situation.settings[setting]
    }
    let touched = contains {
      $0.path == Symbol(BuiltInSetting.quietStart.path)
        || $0.path == Symbol(BuiltInSetting.quietEnd.path)
    }
    if touched, value(.quietStart) == value(.quietEnd) { throw refusal }
  }
}
