/// A new value of a setting.
///
///     try await chimed.change([.set(.quietHoursEnabled, to: true)], of: "u1")
public struct ChimedSettingChange: Hashable, Sendable {
  let path: String
  let value: ChimedValue

  public static func set<Value>(_ setting: ChimedSetting<Value>, to value: Value) -> Self {
    Self(path: setting.path, value: value.chimedValue)
  }

  /// Returns the document that makes the changes. Of two changes of one setting the later applies.
  static func document(of changes: [ChimedSettingChange]) -> ChimedValue {
    var document = ChimedValue.object([:])
    for change in changes { document.set(change.value, at: change.path.split(separator: ".")) }
    return document
  }
}
