/// The members of the service's own preferences document: every setting, and what is computed.
struct OwnShape: DocumentShape {
  /// The name of the preset that the switches match; written, it is applied (rule P4).
  static let preset = "preset"
  /// The switches of the person's own preset.
  static let custom = "custom"
  /// Whether the quiet hours are on just now (rule P7); computed.
  static let active = "quietHours.active"
  private static let others = [preset, custom, active]

  let schema: SettingsSchema

  var members: [String] { schema.definitions.map(\.path) + Self.others }

  func isMember(_ path: String) -> Bool {
    schema.index(of: path) != nil || Self.others.contains(path)
  }

  func isPart(_ path: String) -> Bool { schema.hasPart(path) }
}

/// The switches alone, as a person's own preset holds them.
struct CustomShape: DocumentShape {
  let schema: SettingsSchema

  var members: [String] { schema.definitions.filter(\.isSwitch).map(\.path) }

  func isMember(_ path: String) -> Bool {
    schema.index(of: path).map { schema.definitions[$0].isSwitch } ?? false
  }

  func isPart(_ path: String) -> Bool { schema.hasPart(path) }
}

extension SettingsSchema {
  /// Whether a path is a part of the document that holds settings.
  func hasPart(_ path: String) -> Bool {
    let prefix = path + "."
    return definitions.contains { $0.path.hasPrefix(prefix) }
  }
}
