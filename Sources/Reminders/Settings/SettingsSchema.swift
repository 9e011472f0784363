import JSON

/// All settings of a recipient: the built-in settings, then the settings of the catalogs'
/// categories and groups. The schema contains the defaults; only a recipient's changes are stored
/// (rule P1).
package struct SettingsSchema: Sendable {
  /// A setting: its path, the kind of its values, and its default.
  package struct Definition: Hashable, Sendable {
    /// The path in the preferences document, such as `reminders.checkin.time`.
    package let path: String
    package let kind: SettingKind
    /// The default, as the number that the kind stores.
    package internal(set) var initial: Int64
    /// Whether the setting is a switch that is always on (rule P3).
    package internal(set) var isLocked = false
  }

  /// The settings. A setting's position is its index everywhere.
  package private(set) var definitions: [Definition] = []
  /// The defaults, by the index of the setting.
  package private(set) var initialValues: [Int64] = []
  /// The indices of settings that can change, by the symbols of their paths.
  private var indices: [Symbol: Int] = [:]
  /// The indices of locked settings, by the symbols of their paths.
  private var lockedIndices: [Symbol: Int] = [:]
  /// The indices of switches by `customSymbol`.
  private var customIndices: [Symbol: Int] = [:]
  /// The groups with settings of entities, by the indices of their switches.
  private var entityGroupsBySwitch: [Int: EntityGroup] = [:]

  package init() {
    for (expected, setting) in BuiltInSetting.allCases.enumerated() {
      let index = add(path: setting.path, kind: setting.kind, initial: setting.initial)
      assert(index == expected, "built-in settings come first, in their own order")
    }
  }

  /// Adds a setting and returns its index; nil if another path has the same symbol.
  @discardableResult
  package mutating func add(path: String, kind: SettingKind, initial: Int64) -> Int? {
    let definition = Definition(path: path, kind: kind, initial: initial)
    let symbol = Symbol(path)
    guard !isInUse(symbol) else { return nil }
    if definition.isSwitch {
      guard !isInUse(definition.customSymbol) else { return nil }
      customIndices[definition.customSymbol] = definitions.count
    }
    definitions.append(definition)
    initialValues.append(initial)
    indices[symbol] = definitions.count - 1
    return definitions.count - 1
  }

  private func isInUse(_ symbol: Symbol) -> Bool {
    indices[symbol] != nil || lockedIndices[symbol] != nil || customIndices[symbol] != nil
  }

  /// Sets the default value.
  package mutating func setInitialValue(of index: Int, to initial: Int64) {
    definitions[index].initial = initial
    initialValues[index] = initial
  }

  /// The operator's least minimum interval, in milliseconds; nil for none (rule V18).
  package private(set) var leastInterval: Int64?
  /// The operator's greatest daily cap; nil for none.
  package private(set) var greatestCap: Int64?

  /// Limits the recipients' caps by the operator's policies.
  mutating func limit(by policies: Policies) {
    (greatestCap, leastInterval) = (policies.capPerDay, policies.minimumInterval)
  }

  /// Replaces caps that are missing, or looser than the operator's, by those of the operator.
  func applyLimits(to values: inout [Int64]) {
    if let greatestCap {
      let cap = values[BuiltInSetting.capPerDay.rawValue]
      values[BuiltInSetting.capPerDay.rawValue] =
        cap == SettingKind.unset ? greatestCap : min(cap, greatestCap)
    }
    if let leastInterval {
      let interval = values[BuiltInSetting.minimumInterval.rawValue]
      values[BuiltInSetting.minimumInterval.rawValue] =
        interval == SettingKind.unset ? leastInterval : max(interval, leastInterval)
    }
  }

  /// Returns the value of a setting, or the operator's limit if the value is looser. An unset value
  /// stays unset.
  func limited(_ value: Int64, of setting: Int) -> Int64 {
    guard value != SettingKind.unset else { return value }
    var values = initialValues
    values[setting] = value
    applyLimits(to: &values)
    return values[setting]
  }

  /// Locks a switch, so that it is always on, whatever its stored value is (rule P3).
  package mutating func lock(_ index: Int) {
    definitions[index].isLocked = true
    setInitialValue(of: index, to: 1)
    let symbol = Symbol(definitions[index].path)
    indices[symbol] = nil
    lockedIndices[symbol] = index
    customIndices[definitions[index].customSymbol] = nil
  }

  /// Returns the index of the setting whose value is stored under this symbol; nil for a locked
  /// setting, which cannot change.
  package func index(of path: Symbol) -> Int? {
    indices[path]
  }

  /// Returns the index of the setting with a path, whether or not it is locked; nil if there is
  /// none.
  package func index(of path: String) -> Int? {
    let symbol = Symbol(path)
    guard let index = indices[symbol] ?? lockedIndices[symbol],
      definitions[index].path == path
    else { return nil }
    return index
  }

  /// Returns the index of the switch with this `customSymbol`; nil if there is none.
  package func index(ofCustom path: Symbol) -> Int? {
    customIndices[path]
  }

  // MARK: - Settings of entities

  /// The groups with settings of entities, in the order of their switches.
  package var entityGroups: [EntityGroup] {
    entityGroupsBySwitch.sorted { $0.key < $1.key }.map(\.value)
  }

  mutating func add(_ group: EntityGroup, of groupSwitch: Int) {
    entityGroupsBySwitch[groupSwitch] = group
  }

  /// Returns the settings of the entities of a group, by the index of its switch.
  func entityGroup(of groupSwitch: Int) -> EntityGroup? { entityGroupsBySwitch[groupSwitch] }

  package func entityGroup(at path: String) -> EntityGroup? {
    entityGroupsBySwitch.values.first { $0.path == path }
  }
}

extension SettingsSchema.Definition {
  /// Whether a preset can contain the setting (rule P4). These settings can, unless they are
  /// locked: the master switch, and the switches of channels, of categories on channels, and of
  /// groups. Other true-or-false settings are options.
  package var isSwitch: Bool {
    guard kind == .toggle, !isLocked else { return false }
    let parts = path.split(separator: ".")
    switch parts.first {
    case "master", "channels", "categories": return true
    case "reminders": return parts.last == "enabled"
    default: return false
    }
  }

  /// The symbol under which the switch's value in a saved preset is stored.
  var customSymbol: Symbol { Symbol("custom." + path) }
}

extension SettingsSchema {
  /// Returns the changes that set settings to a JSON value. A locked setting gets no change, and a
  /// value that would switch it off is refused (rule P3).
  ///
  /// - Parameter path: the path of the value in a refusal.
  func changes(
    _ indices: [Int], to value: JSONValue, at path: String
  ) throws(Refusal) -> [SettingChange] {
    var changes: [SettingChange] = []
    for definition in indices.map({ definitions[$0] }) {
      let number = try definition.kind.number(from: value, at: path)
      if !definition.isLocked {
        changes.append(SettingChange(path: Symbol(definition.path), value: number))
      } else if number == 0 {
        let subject = path.hasSuffix(definition.path) ? "it" : definition.path
        throw Refusal(path: path, "cannot be switched off: \(subject) is locked and always on")
      }
    }
    return changes
  }
}

extension SettingKind {
  func number(from value: JSONValue, at path: String) throws(Refusal) -> Int64 {
    do {
      return try number(from: value)
    } catch {
      throw Refusal(path: path, error.reason)
    }
  }
}
