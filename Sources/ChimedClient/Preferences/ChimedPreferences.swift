/// A recipient's preferences.
public struct ChimedPreferences: Hashable, Sendable {
  /// The version, which grows with each change.
  public let version: Int64
  /// The whole document, in the service's own format (rule P1).
  public let document: ChimedValue

  /// Returns the value of a setting; nil if no loaded catalog declares it, or if its values have
  /// another type.
  public func value<Value>(of setting: ChimedSetting<Value>) -> Value? {
    document.value(at: setting.path).flatMap { Value($0) }
  }
}
