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
