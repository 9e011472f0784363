import CivilTime
import JSON

/// The source of the value that a member of a projection shows and writes. A projection is a format
/// of the preferences for an app.
///
/// `Setting` is a path in the projection's table, and an index once the catalog is known.
enum MemberSource<Setting: Hashable & Sendable>: Sendable {
  /// A setting, in the form of the service's own document.
  case setting(Setting)
  /// One switch for several settings, which shows the first setting and writes all of them.
  case switches([Setting])
  /// One day, for a setting that may have several days. The member shows the first in the week.
  case day(Setting)
  /// The sound switch and the choice of sounds in one: "default", "custom" or "none".
  case sound
  /// The names of a catalog's categories that are sent by e-mail.
  case emailTypes(catalog: String)
  /// The preset that the switches match.
  case preset
  /// The current zone: the recipient's zone, or else the service's default zone (rule T4).
  case timezone
  case profile(ProfileField)

  func map<Other, Failure: Error>(
    _ transform: (Setting) throws(Failure) -> Other
  ) throws(Failure) -> MemberSource<Other> {
    switch self {
    case .setting(let setting): return .setting(try transform(setting))
    case .switches(let settings):
      var transformed: [Other] = []
      for setting in settings { transformed.append(try transform(setting)) }
      return .switches(transformed)
    case .day(let setting): return .day(try transform(setting))
    case .sound: return .sound
    case .emailTypes(let catalog): return .emailTypes(catalog: catalog)
    case .preset: return .preset
    case .timezone: return .timezone
    case .profile(let field): return .profile(field)
    }
  }
}

/// The values for sounds: the choices, and silence.
let soundWords = ["default", "custom", "none"]

extension Catalog {
  /// Returns the categories of one catalog that can be sent by e-mail, with their settings.
  func emailTypes(of catalog: String) -> [(name: String, setting: Int)] {
    let names = categoryNames[catalog] ?? []
    return categories.compactMap { category in
      guard names.contains(category.name),
        let entry = category.channels.first(where: { $0.channel == .email })
      else { return nil }
      return (category.name, entry.setting)
    }
  }
}

extension MemberSource<Int> {
  /// Returns the member's value for a recipient.
  func value(in context: PlanningContext) -> JSONValue {
    let (catalog, settings) = (context.catalog, context.settings)
    switch self {
    case .setting(let index):
      return catalog.settings.definitions[index].kind.value(of: settings[index])
    case .switches(let indices): return .bool(indices.first.map(settings.isOn) ?? false)
    case .day(let index): return Self.day(settings[index])
    case .sound:
      let tone = BuiltInSetting.tone.kind.value(of: settings[.tone])
      return settings.isOn(.sound) ? tone : "none"
    case .emailTypes(let name):
      let types = catalog.emailTypes(of: name)
      return .array(types.filter { settings.isOn($0.setting) }.map { .string($0.name) })
    case .preset: return .string(catalog.currentPreset(settings))
    case .timezone: return .string(context.zone.name)
    case .profile(let field): return context.facts.profile(field).map { .string($0) } ?? .null
    }
  }

  private static func day(_ bits: Int64) -> JSONValue {
    Weekday.allCases.first { bits & $0.bit != 0 }.map { .string($0.name) } ?? .null
  }
}

extension MemberSource<Int> {
  /// Returns the changes for a value of the member.
  func write(
    _ value: JSONValue, at path: String, in context: PlanningContext
  ) throws(Refusal) -> PreferencesWrite {
    let catalog = context.catalog
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
      let changes = try Self.emailTypeChanges(value, types, catalog.settings, at: path)
      return PreferencesWrite(settings: changes)
    case .preset:
      let preset = try catalog.preset(value, at: path)
      return PreferencesWrite(settings: preset?.changes(in: catalog.settings) ?? [])
    case .timezone:
      return try Self.profile(.timezone, value, at: path, in: context)
    case .profile(let field):
      return try Self.profile(field, value, at: path, in: context)
    }
  }

  /// Returns the list that contains only the given day.
  private static func days(_ value: JSONValue, at path: String) throws(Refusal) -> JSONValue {
    if let day = value.stringValue, Weekday(name: day) != nil { return [value] }
    throw Refusal(path: path, "must be a day: mon, tue, wed, thu, fri, sat or sun")
  }

  /// Returns the changes for a value of `sound`. "none" switches the sound off and does not change
  /// the choice of sounds.
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

  private static func emailTypeChanges(
    _ value: JSONValue, _ types: [(name: String, setting: Int)], _ schema: SettingsSchema,
    at path: String
  ) throws(Refusal) -> [SettingChange] {
    let kind = SettingKind.selection(types.map(\.name))
    let bits = try kind.number(from: value, at: path)
    var changes: [SettingChange] = []
    for (index, type) in types.enumerated() {
      let isOn = JSONValue.bool(bits & 1 << Int64(index) != 0)
      changes += try schema.changes([type.setting], to: isOn, at: path)
    }
    return changes
  }

  private static func profile(
    _ field: ProfileField, _ value: JSONValue, at path: String, in context: PlanningContext
  ) throws(Refusal) -> PreferencesWrite {
    let planner = context.planner
    let reader = ProfileReader(zones: planner.zones, holidays: planner.holidays)
    return PreferencesWrite(profile: [try reader.change(field, value, at: path)])
  }
}
