import CivilTime
import JSON

extension MemberSource<Int> {
  /// What the member shows of a person.
  func value(in situation: Situation) -> JSONValue {
    let (catalog, settings) = (situation.catalog, situation.settings)
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
    case .timezone: return .string(situation.zone.name)
    case .profile(let field): return situation.facts.profile(field).map { .string($0) } ?? .null
    }
  }

  private static func day(_ bits: Int64) -> JSONValue {
    Weekday.allCases.first { bits & $0.bit != 0 }.map { .string($0.name) } ?? .null
  }
}
