import CivilTime
import JSON

extension MemberSource<Int> {
  /// What a value of the member sets.
  func write(
    _ value: JSONValue, at path: String, in situation: Situation
  ) throws(Refusal) -> PreferencesWrite {
    let catalog = situation.catalog
    switch self {
    case .setting(let index):
      return PreferencesWrite(settings: try catalog.settings.changes([index], to: value, at: path))
    case .switches(let indices):
      return PreferencesWrite(settings: try catalog.settings.changes(indices, to: value, at: path))
    case .day(let index):
      let days = try Self.days(value, at: path)
      return PreferencesWrite(settings: try catalog.settings.changes([index], to: days, at: path))
    case .sound:
      return PreferencesWrite(settings: try Self.sound(value, at: path))
    case .emailTypes(let name):
      let types = catalog.emailTypes(of: name)
      return PreferencesWrite(settings: try Self.types(value, types, catalog.settings, at: path))
    case .preset:
      let preset = try catalog.preset(value, at: path)
      return PreferencesWrite(settings: preset?.changes(in: catalog.settings) ?? [])
    case .timezone:
      return try Self.profile(.timezone, value, at: path, in: situation)
    case .profile(let field):
      return try Self.profile(field, value, at: path, in: situation)
    }
  }

  /// The list of the one day.
  private static func days(_ value: JSONValue, at path: String) throws(Refusal) -> JSONValue {
    if let day = value.stringValue, Weekday(name: day) != nil { return [value] }
    throw Refusal(path: path, "must be a day: mon, tue, wed, thu, fri, sat or sun")
  }

  /// Silence leaves the choice among the sounds as it is.
  private static func sound(
    _ value: JSONValue, at path: String
  ) throws(Refusal) -> [SettingChange] {
    let words = soundWords
    guard let word = value.stringValue, let index = words.firstIndex(of: word) else {
      throw Refusal(path: path, "must be one of \(words.joined(separator: ", "))")
    }
    let isOn = word != "none"
    let sound = SettingChange(path: Symbol(BuiltInSetting.sound.path), value: isOn ? 1 : 0)
    let tone = SettingChange(path: Symbol(BuiltInSetting.tone.path), value: Int64(index))
    return isOn ? [sound, tone] : [sound]
  }

  private static func types(
    _ value: JSONValue, _ types: [(name: String, setting: Int)], _ schema: SettingsSchema,
    at path: String
  ) throws(Refusal) -> [SettingChange] {
    let kind = SettingKind.selection(types.map(\.name))
    let bits = try kind.number(from: value, at: path)
    var changes: [SettingChange] = []
    for (place, type) in types.enumerated() {
      let isOn = JSONValue.bool(bits & 1 << Int64(place) != 0)
      changes += try schema.changes([type.setting], to: isOn, at: path)
    }
    return changes
  }

  private static func profile(
    _ field: ProfileField, _ value: JSONValue, at path: String, in situation: Situation
  ) throws(Refusal) -> PreferencesWrite {
    let planner = situation.planner
    let reader = ProfileReader(zones: planner.zones, holidays: planner.holidays)
    return PreferencesWrite(profile: [try reader.change(field, value, at: path)])
  }
}
