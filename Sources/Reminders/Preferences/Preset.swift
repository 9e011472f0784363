package import JSON

/// A named state of switches, which a catalog declares (rule P4). A preset does not set times,
/// zones or addresses.
package struct Preset: Hashable, Sendable {
  package struct Switch: Hashable, Sendable {
    /// The index of the setting.
    package let setting: Int
    package fileprivate(set) var isOn: Bool
    /// Whether the state follows the default of the setting.
    var isDefault = false
  }

  /// The names of presets that a catalog may declare.
  package static let names = ["maximum", "balanced", "minimal", "critical"]
  /// The name for switches that match no preset, and for the preset that a recipient saves.
  package static let custom = "custom"

  package let name: String
  /// The switches that the preset sets. Others stay as they are.
  package internal(set) var switches: [Switch] = []

  /// Updates the switches that follow the default of a setting.
  mutating func setDefault(of setting: Int, isOn: Bool) {
    for index in switches.indices where switches[index].setting == setting {
      if switches[index].isDefault { switches[index].isOn = isOn }
    }
  }

  /// Returns the changes that apply the preset.
  package func changes(in schema: SettingsSchema) -> [SettingChange] {
    switches.map { entry in
      SettingChange(
        path: Symbol(schema.definitions[entry.setting].path), value: entry.isOn ? 1 : 0)
    }
  }

  /// Returns the preset's switches in the form of a preferences document.
  package func document(in schema: SettingsSchema) -> JSONObject {
    var document = JSONObject()
    for entry in switches {
      document.set(.bool(entry.isOn), at: schema.definitions[entry.setting].path)
    }
    return document
  }

  package func matches(_ settings: Settings) -> Bool {
    switches.allSatisfy { settings.isOn($0.setting) == $0.isOn }
  }
}

extension Catalog {
  package func preset(named name: String) -> Preset? {
    presets.first { $0.name == name }
  }

  /// Returns the name of the first declared preset that the switches match, or else `custom`.
  package func currentPreset(_ settings: Settings) -> String {
    presets.first { $0.matches(settings) }?.name ?? Preset.custom
  }

  /// Returns the preset that a member of a document names; nil for `custom`, which means that the
  /// switches match no declared preset.
  func preset(_ value: JSONValue, at path: String) throws(Refusal) -> Preset? {
    let allowed = Preset.names + [Preset.custom]
    guard case .string(let name) = value else {
      throw Refusal(
        path: path, "must be one of \(allowed.joined(separator: ", ")); it is \(value.kind)")
    }
    if name == Preset.custom { return nil }
    if let preset = preset(named: name) { return preset }
    guard allowed.contains(name) else {
      throw Refusal(
        path: path,
        "must be one of \(allowed.joined(separator: ", ")); it is \"\(name)\""
          + hint(name, allowed))
    }
    let declared = presets.map(\.name).joined(separator: ", ")
    throw Refusal(
      path: path,
      "is \"\(name)\", which no loaded catalog declares; "
        + (presets.isEmpty
          ? "the catalogs declare no presets" : "the declared presets are: \(declared)"))
  }
}

/// Reads the data of `preset.applied`, the name of a preset, and returns the changes of its
/// switches.
struct PresetReader {
  let catalog: Catalog

  func changes(_ object: JSONObject) throws(Refusal) -> [SettingChange] {
    let name = PreferencesShape.preset
    for member in object where member.key != name {
      throw Refusal(
        path: "data.\(member.key)", "is not known; preset.applied has only data.\(name)")
    }
    guard let value = object[name] else { throw Refusal(path: "data.\(name)", "is missing") }
    guard let preset = try catalog.preset(value, at: "data.\(name)") else {
      throw Refusal(
        path: "data.\(name)",
        "is \"custom\", which names no switches; report preferences.updated with the switches")
    }
    return preset.changes(in: catalog.settings)
  }
}

/// The switches that a recipient saved for later (rule P4). They are stored among the settings,
/// under separate paths that effective settings ignore.
package struct CustomPreset: Sendable {
  private let switches: [Preset.Switch]

  /// Returns nil if the recipient has saved no switches.
  package init?(facts: Facts, schema: SettingsSchema) {
    var switches: [Preset.Switch] = []
    for register in facts.settings where register.value != SettingKind.unset {
      guard let setting = schema.index(ofCustom: register.path) else { continue }
      switches.append(Preset.Switch(setting: setting, isOn: register.value != 0))
    }
    guard !switches.isEmpty else { return nil }
    self.switches = switches.sorted { $0.setting < $1.setting }
  }

  /// Returns the changes that apply the saved switches. Other switches stay as they are, for
  /// example the switches of a catalog that was added later.
  package func changes(in schema: SettingsSchema) -> [SettingChange] {
    preset.changes(in: schema)
  }

  /// The saved switches as a preset.
  package var preset: Preset { Preset(name: Preset.custom, switches: switches) }

  /// Returns the changes that save the current switches.
  package static func saving(_ settings: Settings, in schema: SettingsSchema) -> [SettingChange] {
    schema.switches.map { index in
      SettingChange(path: schema.definitions[index].customSymbol, value: settings[index])
    }
  }

  /// Returns the changes that remove the saved switches.
  package static func forgetting(in schema: SettingsSchema) -> [SettingChange] {
    schema.switches.map { index in
      SettingChange(path: schema.definitions[index].customSymbol, value: SettingKind.unset)
    }
  }

  /// Returns each switch with its path and state, for documents.
  func values(in schema: SettingsSchema) -> [(path: String, isOn: Bool)] {
    switches.map { (schema.definitions[$0.setting].path, $0.isOn) }
  }
}

extension SettingsSchema {
  /// The indices of the settings that presets can contain.
  var switches: [Int] {
    definitions.indices.filter { definitions[$0].isSwitch }
  }
}
