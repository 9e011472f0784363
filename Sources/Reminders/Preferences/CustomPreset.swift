/// The switches as a person saved them, to have them back later (rule P4). They are stored among
/// the settings, under paths of their own, which effective settings do not see.
package struct CustomPreset: Sendable {
  private let switches: [Preset.Switch]

  /// Nil for whoever has saved none.
  package init?(facts: Facts, schema: SettingsSchema) {
    var switches: [Preset.Switch] = []
    for register in facts.settings where register.value != SettingKind.unset {
      guard let setting = schema.index(ofCustom: register.path) else { continue }
      switches.append(Preset.Switch(setting: setting, isOn: register.value != 0))
    }
    guard !switches.isEmpty else { return nil }
    self.switches = switches.sorted { $0.setting < $1.setting }
  }

  /// The write that applies it; what it does not know, such as the switches of a catalog that came
  /// later, stays as it is.
  package func changes(in schema: SettingsSchema) -> [SettingChange] {
    preset.changes(in: schema)
  }

  /// The same as presets of catalogs are.
  package var preset: Preset { Preset(name: Preset.custom, switches: switches) }

  /// The write that saves the switches as they are.
  package static func saving(_ settings: Settings, in schema: SettingsSchema) -> [SettingChange] {
    schema.switches.map { index in
      SettingChange(path: schema.definitions[index].customSymbol, value: settings[index])
    }
  }

  /// The write that forgets what was saved.
  package static func forgetting(in schema: SettingsSchema) -> [SettingChange] {
    schema.switches.map { index in
      SettingChange(path: schema.definitions[index].customSymbol, value: SettingKind.unset)
    }
  }

  /// Each switch with its path and state, for documents.
  func values(in schema: SettingsSchema) -> [(path: String, isOn: Bool)] {
    switches.map { (schema.definitions[$0.setting].path, $0.isOn) }
  }
}

extension SettingsSchema {
  /// The indices of the settings that a preset may set.
  var switches: [Int] {
    definitions.indices.filter { definitions[$0].isSwitch }
  }
}
