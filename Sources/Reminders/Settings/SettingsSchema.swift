import JSON

/// Every setting a recipient has: the built-in ones, then those of the catalogs' categories and
/// groups. A recipient stores only what differs; the defaults are here (rule P1).
package struct SettingsSchema: Sendable {
  package struct Definition: Hashable, Sendable {
    /// Where it stands in the preferences document, such as `reminders.checkin.time`.
    package let path: String
    package let kind: SettingKind
    package internal(set) var initial: Int64
    /// Always on: a switch that no write turns off (rule P3).
    package internal(set) var isLocked = false
  }

  package private(set) var definitions: [Definition] = []
  package private(set) var initialValues: [Int64] = []
  private var indices: [Symbol: Int] = [:]
  private var lockedIndices: [Symbol: Int] = [:]
  /// The switches by the paths under which a person's own preset keeps them.
  private var customIndices: [Symbol: Int] = [:]

  package init() {
    for (expected, setting) in BuiltInSetting.allCases.enumerated() {
      let index = add(path: setting.path, kind: setting.kind, initial: setting.initial)
      assert(index == expected, "built-in settings come first, in their own order")
    }
  }

  /// Adds a setting, or nil if the path's symbol is taken by another path.
  @discardableResult
  package mutating func add(path: String, kind: SettingKind, initial: Int64) -> Int? {
    let definition = Definition(path: path, kind: kind, initial: initial)
    let symbol = Symbol(path)
    guard !isTaken(symbol) else { return nil }
    if definition.isSwitch {
      guard !isTaken(definition.customSymbol) else { return nil }
      customIndices[definition.customSymbol] = definitions.count
    }
    definitions.append(definition)
    initialValues.append(initial)
    indices[symbol] = definitions.count - 1
    return definitions.count - 1
  }

  private func isTaken(_ symbol: Symbol) -> Bool {
    indices[symbol] != nil || lockedIndices[symbol] != nil || customIndices[symbol] != nil
  }

  /// Makes a value that of whoever has not written another.
  package mutating func begin(_ index: Int, with initial: Int64) {
    definitions[index].initial = initial
    initialValues[index] = initial
  }

  /// Makes a switch one that is always on, whatever is stored of it (rule P3).
  package mutating func lock(_ index: Int) {
    definitions[index].isLocked = true
    begin(index, with: 1)
    let symbol = Symbol(definitions[index].path)
    indices[symbol] = nil
    lockedIndices[symbol] = index
    customIndices[definitions[index].customSymbol] = nil
  }

  /// The setting that a stored register changes; nil for a locked one, which nothing changes.
  package func index(of path: Symbol) -> Int? {
    indices[path]
  }

  package func index(of path: String) -> Int? {
    let symbol = Symbol(path)
    guard let index = indices[symbol] ?? lockedIndices[symbol],
      definitions[index].path == path
    else { return nil }
    return index
  }

  /// The switch whose place in a person's own preset a stored register keeps.
  package func index(ofCustom path: Symbol) -> Int? {
    customIndices[path]
  }
}

extension SettingsSchema.Definition {
  /// Whether it switches something on and off, and so belongs into a preset (rule P4): the master,
  /// a channel, a category on a channel, a group. What else is true or false says how.
  package var isSwitch: Bool {
    guard kind == .toggle, !isLocked else { return false }
    let parts = path.split(separator: ".")
    switch parts.first {
    case "master", "channels", "categories": return true
    case "reminders": return parts.last == "enabled"
    default: return false
    }
  }

  /// What keeps its value in a person's own preset.
  var customSymbol: Symbol { Symbol("custom." + path) }
}

extension SettingsSchema {
  /// The changes that make settings what a JSON value says; none of a locked one, which is on, and
  /// a refusal if the value would turn it off (rule P3).
  ///
  /// - Parameter path: what a refusal calls the place of the value.
  func changes(
    _ indices: [Int], to value: JSONValue, at path: String
  ) throws(Refusal) -> [SettingChange] {
    var changes: [SettingChange] = []
    for definition in indices.map({ definitions[$0] }) {
      let number = try definition.kind.number(from: value, at: path)
      if !definition.isLocked {
        changes.append(SettingChange(path: Symbol(definition.path), value: number))
      } else if number == 0 {
        let what = path.hasSuffix(definition.path) ? "it" : definition.path
        throw Refusal(path: path, "cannot be switched off: \(what) is locked and always on")
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
