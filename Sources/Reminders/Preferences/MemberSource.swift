import JSON

/// Where a member of a projection comes from, and goes to when it is written.
///
/// A setting is a path in the projection's table, and an index once a catalog is read.
enum MemberSource<Setting: Hashable & Sendable>: Sendable {
  /// A setting as it is in the service's own document.
  case setting(Setting)
  /// One switch for several settings: the first is shown, all are written.
  case switches([Setting])
  /// One day where the setting holds several: the first of the week is shown.
  case day(Setting)
  /// The switch of sounds and the choice among them in one: "default", "custom" or "none".
  case sound
  /// The names of the categories of a catalog that go out by e-mail.
  case emailTypes(catalog: String)
  /// The preset that the switches match.
  case preset
  /// The zone in force; the person's own, or the service's default (rule T4).
  case timezone
  case profile(ProfileField)

  func map<Other, Failure: Error>(
    _ transform: (Setting) throws(Failure) -> Other
  ) throws(Failure) -> MemberSource<Other> {
    switch self {
    case .setting(let setting): return .setting(try transform(setting))
    case .switches(let settings):
      var others: [Other] = []
      for setting in settings { others.append(try transform(setting)) }
      return .switches(others)
    case .day(let setting): return .day(try transform(setting))
    case .sound: return .sound
    case .emailTypes(let catalog): return .emailTypes(catalog: catalog)
    case .preset: return .preset
    case .timezone: return .timezone
    case .profile(let field): return .profile(field)
    }
  }
}

/// What may be said of sounds: the choices, and silence.
let soundWords = ["default", "custom", "none"]

extension Catalog {
  /// The categories of one catalog that can go out by e-mail, and the setting of each.
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
