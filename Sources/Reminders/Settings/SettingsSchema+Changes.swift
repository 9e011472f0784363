import JSON

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
