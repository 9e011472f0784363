import CivilTime
import JSON

/// A setting with the value that an event gives it.
package struct SettingChange: Hashable, Sendable {
  /// The symbol of the setting's path; for a setting of an entity, without the identifier.
  package let path: Symbol
  /// The number that the setting's `SettingKind` stores; `SettingKind.unset` removes a value.
  package let value: Int64
  /// The identifier of the entity whose setting it is; nil for a setting of the recipient.
  package let entity: String?

  package init(path: Symbol, value: Int64, entity: String? = nil) {
    self.path = path
    self.value = value
    self.entity = entity
  }
}

/// Reads a partial preferences document: missing members stay unchanged (rule P1).
///
/// Computed members such as `quietHours.active` are allowed and change nothing. So a document can
/// be written back as it was read. Individual switches in the document override its preset.
struct PreferencesReader {
  let catalog: Catalog
  /// The path of the document in refusals; empty if the document is a whole body.
  var root = "data"

  func changes(_ document: JSONObject) throws(Refusal) -> [SettingChange] {
    let leaves = try leaves(of: document)
    guard !leaves.isEmpty else {
      throw Refusal(path: root, "changes nothing; give at least one preference")
    }
    return try changes(leaves)
  }

  func leaves(of document: JSONObject) throws(Refusal) -> [DocumentLeaf] {
    try PreferencesShape(schema: catalog.settings).leaves(of: document, root: root)
  }

  func changes(_ leaves: [DocumentLeaf]) throws(Refusal) -> [SettingChange] {
    var changes: [SettingChange] = []
    var preset: [SettingChange] = []
    for leaf in leaves {
      switch leaf.path {
      case PreferencesShape.preset: preset = try self.preset(leaf.value)
      case PreferencesShape.custom: changes += try custom(leaf.value)
      case PreferencesShape.active: try check(active: leaf.value)
      case PreferencesShape.windows:
        let windows = try QuietWindow.windows(leaf.value, at: fullPath(leaf.path, in: root))
        changes += QuietWindow.changes(to: windows)
      case PreferencesShape.announced: changes += try announcements(leaf.value)
      default:
        if let group = catalog.settings.entityGroup(at: leaf.path) {
          let reader = EntitySettingsReader(group: group, path: fullPath(leaf.path, in: root))
          changes += try reader.changes(leaf.value)
        } else {
          changes += try self.changes(leaf, in: root)
        }
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
      [index], to: leaf.value, at: fullPath(leaf.path, in: root))
  }

  private func preset(_ value: JSONValue) throws(Refusal) -> [SettingChange] {
    let preset = try catalog.preset(value, at: fullPath(PreferencesShape.preset, in: root))
    return preset?.changes(in: catalog.settings) ?? []
  }

  /// Reads the switches of the preset that a recipient saves (rule P4). The value null removes the
  /// saved preset.
  private func custom(_ value: JSONValue) throws(Refusal) -> [SettingChange] {
    let root = fullPath(PreferencesShape.custom, in: root)
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
        path: root,
        "must be an object of switches, or null to remove the saved preset; it is \(value.kind)")
    }
  }

  /// Reads an object of announced vacations. A vacation's first date is the key, and its last date
  /// is the value; null cancels the vacation.
  private func announcements(_ value: JSONValue) throws(Refusal) -> [SettingChange] {
    let path = fullPath(PreferencesShape.announced, in: root)
    guard let dates = value.objectValue else {
      throw Refusal(
        path: path,
        "must be an object such as {\"2026-07-01\": \"2026-07-14\"}; it is \(value.kind)")
    }
    var changes: [SettingChange] = []
    for member in dates {
      changes.append(try announcement(member, at: "\(path).\(member.key)"))
    }
    return changes
  }

  private func announcement(
    _ member: JSONObject.Member, at path: String
  ) throws(Refusal) -> SettingChange {
    guard let from = LocalDate(member.key) else {
      throw Refusal(path: path, "must be named by its first date, such as \"2026-07-01\"")
    }
    if member.value.isNull { return SettingChange(vacationFrom: from, until: nil) }
    guard let until = member.value.stringValue.flatMap({ LocalDate($0) }) else {
      throw Refusal(
        path: path, "must be the last date, such as \"2026-07-14\", or null to cancel the vacation")
    }
    guard from <= until else {
      throw Refusal(path: path, "is \(until), before the first day \(from); swap the dates")
    }
    return SettingChange(vacationFrom: from, until: until)
  }

  private func check(active value: JSONValue) throws(Refusal) {
    guard value.boolValue == nil else { return }
    throw Refusal(
      path: fullPath(PreferencesShape.active, in: root),
      "must be true or false; it is \(value.kind)")
  }

  /// Checks rule P7 within the document. The caller checks it again, with the stored values.
  private func checkQuietHours(_ changes: [SettingChange]) throws(Refusal) {
    func value(_ setting: BuiltInSetting) -> Int64? {
      changes.last { $0.path == Symbol(setting.path) }?.value
    }
    if let start = value(.quietStart), let end = value(.quietEnd), start == end {
      throw Refusal.equalQuietHours(at: fullPath("quietHours", in: root))
    }
    if value(.quietDays) == 0 {
      throw Refusal(
        path: fullPath(BuiltInSetting.quietDays.path, in: root),
        "must name at least one day; to have no quiet hours, set quietHours.enabled to false")
    }
  }
}

extension Refusal {
  /// The exact text of rule P7.
  static let equalTimes = "Start and end time cannot be the same"

  static var equalQuietHours: Refusal { equalQuietHours(at: "data.quietHours") }

  static func equalQuietHours(at path: String) -> Refusal {
    Refusal(path: path, "is refused: \(equalTimes)")
  }
}

/// The members of chimed's own preferences document: every setting, and the computed members.
/// Single apps may use other documents.
struct PreferencesShape: DocumentShape {
  /// The path of the name of the preset that the switches match. Writing a name applies the preset
  /// (rule P4).
  static let preset = "preset"
  /// The path of the object with the preset that the recipient saved.
  static let custom = "custom"
  /// The path of the computed member that is true while quiet hours are active (rule P7).
  static let active = "quietHours.active"
  /// The path of the announced vacations (rule V16).
  static let announced = "vacation.announced"
  /// The path of the further windows of quiet hours (rule P9).
  static let windows = "quietHours.windows"
  private static let otherMembers = [preset, custom, active, windows, announced]

  let schema: SettingsSchema

  var members: [String] {
    schema.definitions.map(\.path) + schema.entityGroups.map(\.path) + Self.otherMembers
  }

  func isMember(_ path: String) -> Bool {
    schema.index(of: path) != nil || Self.otherMembers.contains(path)
      || schema.entityGroup(at: path) != nil
  }

  func isObject(_ path: String) -> Bool { schema.isObject(path) }
}

/// The members of the preset that a recipient saves: only switches.
struct CustomShape: DocumentShape {
  let schema: SettingsSchema

  var members: [String] { schema.definitions.filter(\.isSwitch).map(\.path) }

  func isMember(_ path: String) -> Bool {
    schema.index(of: path).map { schema.definitions[$0].isSwitch } ?? false
  }

  func isObject(_ path: String) -> Bool { schema.isObject(path) }
}

extension SettingsSchema {
  /// Returns whether a path is that of an object with settings.
  func isObject(_ path: String) -> Bool {
    let prefix = path + "."
    return definitions.contains { $0.path.hasPrefix(prefix) }
  }
}
