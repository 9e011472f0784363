/// Every setting a recipient has: the built-in ones, then those of the catalogs' categories and
/// groups. A recipient stores only what differs; the defaults are here (rule P1).
package struct SettingsSchema: Sendable {
  package struct Definition: Hashable, Sendable {
    /// Where it stands in the preferences document, such as `reminders.checkin.time`.
    package let path: String
    package let kind: SettingKind
    package let initial: Int64
  }

  package private(set) var definitions: [Definition] = []
  package private(set) var initialValues: [Int64] = []
  private var indices: [Symbol: Int] = [:]

  package init() {
    for (expected, setting) in BuiltInSetting.allCases.enumerated() {
      let index = add(path: setting.path, kind: setting.kind, initial: setting.initial)
      assert(index == expected, "built-in settings come first, in their own order")
    }
  }

  /// Adds a setting, or nil if the path's symbol is taken by another path.
  @discardableResult
  package mutating func add(path: String, kind: SettingKind, initial: Int64) -> Int? {
    let symbol = Symbol(path)
    guard indices[symbol] == nil else { return nil }
    definitions.append(Definition(path: path, kind: kind, initial: initial))
    initialValues.append(initial)
    indices[symbol] = definitions.count - 1
    return definitions.count - 1
  }

  package func index(of path: Symbol) -> Int? {
    indices[path]
  }

  package func index(of path: String) -> Int? {
    guard let index = indices[Symbol(path)], definitions[index].path == path else { return nil }
    return index
  }
}

/// The settings that every recipient has whatever the catalogs declare. The raw value is the index
/// in `Settings`.
package enum BuiltInSetting: Int, CaseIterable, Sendable {
  case master
  case push, email, sms, inapp
  case quietEnabled, quietStart, quietEnd, quietDays, quietAllowCritical
  case bundlingThreshold

  package var path: String {
    switch self {
    case .master: "master"
    case .push: "channels.push"
    case .email: "channels.email"
    case .sms: "channels.sms"
    case .inapp: "channels.inapp"
    case .quietEnabled: "quietHours.enabled"
    case .quietStart: "quietHours.start"
    case .quietEnd: "quietHours.end"
    case .quietDays: "quietHours.days"
    case .quietAllowCritical: "quietHours.allowCritical"
    case .bundlingThreshold: "bundling.threshold"
    }
  }

  var kind: SettingKind {
    switch self {
    case .quietStart, .quietEnd: .time
    case .quietDays: .days
    case .bundlingThreshold: .count(0...1000)
    default: .toggle
    }
  }

  var initial: Int64 {
    switch self {
    case .quietEnabled: 0
    case .quietStart: 21 * 60
    case .quietEnd: 8 * 60
    case .quietDays: 0b111_1111
    case .bundlingThreshold: 3
    default: 1
    }
  }
}
