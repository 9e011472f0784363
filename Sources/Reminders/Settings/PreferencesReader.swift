import JSON

/// One setting that an event sets.
package struct SettingChange: Hashable, Sendable {
  package let path: Symbol
  package let value: Int64
}

/// Reads a partial preferences document: of any part only what is written changes (rule P1).
struct PreferencesReader {
  let schema: SettingsSchema

  func changes(_ document: JSONObject) throws(Refusal) -> [SettingChange] {
    var changes: [SettingChange] = []
    try collect(document, under: "", into: &changes)
    guard !changes.isEmpty else {
      throw Refusal(path: "data", "changes nothing; give at least one preference")
    }
    try checkQuietHours(changes)
    return changes + newWindowDays(changes)
  }

  /// A write that gives start and end describes a window anew, and it is on every day unless the
  /// write says otherwise: days left over from another window would leave nights open that the
  /// person believes to be quiet.
  private func newWindowDays(_ changes: [SettingChange]) -> [SettingChange] {
    let written = Set(changes.map(\.path))
    let window = [BuiltInSetting.quietStart, .quietEnd].map { Symbol($0.path) }
    let days = Symbol(BuiltInSetting.quietDays.path)
    guard window.allSatisfy(written.contains), !written.contains(days) else { return [] }
    return [SettingChange(path: days, value: BuiltInSetting.quietDays.initial)]
  }

  private func collect(
    _ object: JSONObject, under prefix: String, into changes: inout [SettingChange]
  ) throws(Refusal) {
    for member in object.members {
      let path = prefix + member.key
      guard !member.key.utf8.contains(UInt8(ascii: ".")) else {
        throw Refusal(path: "data.\(path)", "is not a preference; parts are objects of their own")
      }
      if let index = schema.index(of: path) {
        changes.append(try change(index, member.value))
      } else if case .object(let part) = member.value, schema.hasPart(path) {
        try collect(part, under: path + ".", into: &changes)
      } else {
        throw unknown(path, member.value)
      }
    }
  }

  private func change(_ index: Int, _ value: JSONValue) throws(Refusal) -> SettingChange {
    let definition = schema.definitions[index]
    do {
      return SettingChange(
        path: Symbol(definition.path), value: try definition.kind.number(from: value))
    } catch {
      throw Refusal(path: "data.\(definition.path)", error.reason)
    }
  }

  private func unknown(_ path: String, _ value: JSONValue) -> Refusal {
    if schema.hasPart(path) {
      return Refusal(path: "data.\(path)", "must be an object; it is \(value.kind)")
    }
    return Refusal(
      path: "data.\(path)",
      "is not a preference" + hint(path, schema.definitions.map(\.path)))
  }

  /// Rule P7, for a document that gives both; against what is stored the recipient is asked.
  private func checkQuietHours(_ changes: [SettingChange]) throws(Refusal) {
    func value(_ setting: BuiltInSetting) -> Int64? {
      changes.last { $0.path == Symbol(setting.path) }?.value
    }
    if let start = value(.quietStart), let end = value(.quietEnd), start == end {
      throw Refusal.equalQuietHours
    }
  }
}

extension Refusal {
  /// Rule P7, word for word.
  static var equalQuietHours: Refusal {
    Refusal(path: "data.quietHours", "is refused: Start and end time cannot be the same")
  }
}

extension SettingsSchema {
  /// Whether a path is a part of the document that holds settings.
  func hasPart(_ path: String) -> Bool {
    let prefix = path + "."
    return definitions.contains { $0.path.hasPrefix(prefix) }
  }
}
