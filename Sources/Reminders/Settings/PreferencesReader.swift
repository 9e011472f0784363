import JSON

/// One setting that an event sets.
package struct SettingChange: Hashable, Sendable {
  package let path: Symbol
  package let value: Int64

  package init(path: Symbol, value: Int64) {
    self.path = path
    self.value = value
  }
}

/// Reads a partial preferences document: of any part only what is written changes (rule P1).
///
/// What is computed, such as `quietHours.active`, may stand in it and changes nothing, so that a
/// document that was read can be written back. A preset goes beneath what the document says of
/// single switches.
struct PreferencesReader {
  let catalog: Catalog
  /// What refusals call the document; empty for a body of its own.
  var root = "data"

  func changes(_ document: JSONObject) throws(Refusal) -> [SettingChange] {
    let leaves = try leaves(of: document)
    guard !leaves.isEmpty else {
      throw Refusal(path: root, "changes nothing; give at least one preference")
    }
    return try changes(leaves)
  }

  func leaves(of document: JSONObject) throws(Refusal) -> [DocumentLeaf] {
    try OwnShape(schema: catalog.settings).leaves(of: document, root: root)
  }

  func changes(_ leaves: [DocumentLeaf]) throws(Refusal) -> [SettingChange] {
    var changes: [SettingChange] = []
    var preset: [SettingChange] = []
    for leaf in leaves {
      switch leaf.path {
      case OwnShape.preset: preset = try self.preset(leaf.value)
      case OwnShape.custom: changes += try custom(leaf.value)
      case OwnShape.active: try check(active: leaf.value)
      default: changes += try self.changes(leaf, in: root)
      }
    }
    try checkQuietHours(changes)
    let written = Set(changes.map(\.path))
    return changes + preset.filter { !written.contains($0.path) }
  }

  private func changes(
    _ leaf: DocumentLeaf, in root: String
  ) throws(Refusal) -> [SettingChange] {
    guard let index = catalog.settings.index(of: leaf.path) else { return [] }
    return try catalog.settings.changes(
      [index], to: leaf.value, at: place(leaf.path, in: root))
  }

  private func preset(_ value: JSONValue) throws(Refusal) -> [SettingChange] {
    let preset = try catalog.preset(value, at: place(OwnShape.preset, in: root))
    return preset?.changes(in: catalog.settings) ?? []
  }

  /// The switches of a person's own preset (rule P4); null forgets it.
  private func custom(_ value: JSONValue) throws(Refusal) -> [SettingChange] {
    let root = place(OwnShape.custom, in: root)
    switch value {
    case .null: return CustomPreset.forgetting(in: catalog.settings)
    case .object(let switches):
      let leaves = try CustomShape(schema: catalog.settings).leaves(of: switches, root: root)
      var changes: [SettingChange] = []
      for leaf in leaves {
        changes += try self.changes(leaf, in: root).map {
          SettingChange(path: Symbol("custom." + leaf.path), value: $0.value)
        }
      }
      return changes
    default:
      throw Refusal(
        path: root, "must be an object of switches, or null to forget it; it is \(value.kind)")
    }
  }

  private func check(active value: JSONValue) throws(Refusal) {
    guard value.boolValue == nil else { return }
    throw Refusal(
      path: place(OwnShape.active, in: root), "must be true or false; it is \(value.kind)")
  }

  /// Checks rule P7 within the document; its start and end are also compared with what is stored.
  private func checkQuietHours(_ changes: [SettingChange]) throws(Refusal) {
    func value(_ setting: BuiltInSetting) -> Int64? {
      changes.last { $0.path == Symbol(setting.path) }?.value
    }
    if let start = value(.quietStart), let end = value(.quietEnd), start == end {
      throw Refusal.equalQuietHours(at: place("quietHours", in: root))
    }
    if value(.quietDays) == 0 {
      throw Refusal(
        path: place(BuiltInSetting.quietDays.path, in: root),
        "must name at least one day; to have no quiet hours, set quietHours.enabled to false")
    }
  }
}

extension Refusal {
  /// Rule P7, word for word.
  static let equalTimes = "Start and end time cannot be the same"

  static var equalQuietHours: Refusal { equalQuietHours(at: "data.quietHours") }

  static func equalQuietHours(at path: String) -> Refusal {
    Refusal(path: path, "is refused: \(equalTimes)")
  }
}

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
