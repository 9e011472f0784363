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
