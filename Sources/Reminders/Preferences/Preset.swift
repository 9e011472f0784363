package import JSON

/// A named state of the switches, which catalogs declare (rule P4). It has no say in times, zones
/// and addresses.
package struct Preset: Hashable, Sendable {
  package struct Switch: Hashable, Sendable {
    package let setting: Int
    package let isOn: Bool
  }

  /// The presets that a catalog may declare.
  package static let names = ["maximum", "balanced", "minimal", "critical"]
  /// What the switches are when they match none of these, and the one that a person saves.
  package static let custom = "custom"

  package let name: String
  package internal(set) var switches: [Switch] = []

  /// The write that applies it.
  package func changes(in schema: SettingsSchema) -> [SettingChange] {
    switches.map { entry in
      SettingChange(
        path: Symbol(schema.definitions[entry.setting].path), value: entry.isOn ? 1 : 0)
    }
  }

  /// The switches as a preferences document has them.
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

  /// The name of the first declared preset that the switches match, else `custom`.
  package func currentPreset(_ settings: Settings) -> String {
    presets.first { $0.matches(settings) }?.name ?? Preset.custom
  }

  /// The preset that a member of a document names; nil for `custom`, which says of the switches
  /// only that they match no other.
  func preset(_ value: JSONValue, at path: String) throws(Refusal) -> Preset? {
    let known = Preset.names + [Preset.custom]
    guard case .string(let name) = value else {
      throw Refusal(
        path: path, "must be one of \(known.joined(separator: ", ")); it is \(value.kind)")
    }
    if name == Preset.custom { return nil }
    if let preset = preset(named: name) { return preset }
    guard known.contains(name) else {
      throw Refusal(
        path: path,
        "must be one of \(known.joined(separator: ", ")); it is \"\(name)\"" + hint(name, known))
    }
    let declared = presets.map(\.name).joined(separator: ", ")
    throw Refusal(
      path: path,
      "is \"\(name)\", which no loaded catalog declares; "
        + (presets.isEmpty ? "none declares any preset" : "declared are \(declared)"))
  }
}

/// Reads the data of `preset.applied`: the preset's name, for which its switches are written.
struct PresetReader {
  let catalog: Catalog

  func changes(_ object: JSONObject) throws(Refusal) -> [SettingChange] {
    let name = OwnShape.preset
    for member in object where member.key != name {
      throw Refusal(
        path: "data.\(member.key)", "is not known; preset.applied carries data.\(name)")
    }
    guard let value = object[name] else { throw Refusal(path: "data.\(name)", "is missing") }
    guard let preset = try catalog.preset(value, at: "data.\(name)") else {
      throw Refusal(
        path: "data.\(name)",
        "is \"custom\", whose switches only the service knows; write them as preferences.updated")
    }
    return preset.changes(in: catalog.settings)
  }
}

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
