package import CivilTime
package import JSON

/// A person's preferences as the service's own JSON document (rule P1): what is stored of every
/// setting, whether or not a switch above it is on (rule P2). `PreferencesReader` reads it in.
package struct PreferencesDocument {
  /// The parts in the order in which the document has them.
  private static let parts = [
    "master", OwnShape.preset, "channels", "categories", "reminders", "quietHours", "vacation",
    "dayStart", "calendar", "caps", "bundling", "hints", "email", "sms", OwnShape.custom,
  ]

  private let situation: Situation

  package init(_ situation: Situation) {
    self.situation = situation
  }

  /// Everything, with what is computed: the preset that the switches match, and whether the quiet
  /// hours are on at an instant.
  package func whole(at now: Instant) -> JSONObject {
    var document = JSONObject()
    let stored = stored
    for part in Self.parts {
      document[part] = part == OwnShape.preset ? .string(preset) : stored[part]
    }
    document.set(.bool(isQuiet(at: now)), at: OwnShape.active)
    return document
  }

  /// The settings and the person's own preset, without what is computed.
  package var stored: JSONObject {
    let schema = situation.catalog.settings
    var all = JSONObject()
    for (index, definition) in schema.definitions.enumerated() {
      all.set(definition.kind.value(of: situation.settings[index]), at: definition.path)
    }
    if let custom = CustomPreset(facts: situation.facts, schema: schema) {
      for (path, isOn) in custom.values(in: schema) {
        all.set(.bool(isOn), at: OwnShape.custom + "." + path)
      }
    }
    return Self.inOrder(all)
  }

  /// The document that says just what a write changes: the data of its `preferences.updated`.
  package static func partial(_ changes: [SettingChange], in schema: SettingsSchema) -> JSONObject {
    var all = JSONObject()
    for change in changes {
      if let index = schema.index(of: change.path) {
        let definition = schema.definitions[index]
        all.set(definition.kind.value(of: change.value), at: definition.path)
      } else if let index = schema.index(ofCustom: change.path) {
        partialCustom(change, schema.definitions[index], &all)
      }
    }
    return inOrder(all)
  }

  private static func partialCustom(
    _ change: SettingChange, _ definition: SettingsSchema.Definition, _ all: inout JSONObject
  ) {
    if change.value == SettingKind.unset {
      all[OwnShape.custom] = .null
    } else {
      all.set(.bool(change.value != 0), at: OwnShape.custom + "." + definition.path)
    }
  }

  private static func inOrder(_ all: JSONObject) -> JSONObject {
    var ordered = JSONObject()
    for part in parts { ordered[part] = all[part] }
    return ordered
  }

  private var preset: String { situation.catalog.currentPreset(situation.settings) }

  private func isQuiet(at now: Instant) -> Bool {
    situation.settings.quietHours.windowEnd(at: now, in: situation.zone) != nil
  }
}
