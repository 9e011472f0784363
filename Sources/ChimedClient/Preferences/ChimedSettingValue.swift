/// A Swift type of a setting's values.
public protocol ChimedSettingValue: Sendable {
  var chimedValue: ChimedValue { get }

  /// Returns nil if the value has another type.
  init?(_ value: ChimedValue)
}

extension Bool: ChimedSettingValue {
  public var chimedValue: ChimedValue { .bool(self) }

  public init?(_ value: ChimedValue) {
    guard case .bool(let value) = value else { return nil }
    self = value
  }
}

extension Int: ChimedSettingValue {
  public var chimedValue: ChimedValue { .number(Double(self)) }

  public init?(_ value: ChimedValue) {
    guard case .number(let number) = value, let value = Int(exactly: number) else { return nil }
    self = value
  }
}

extension String: ChimedSettingValue {
  public var chimedValue: ChimedValue { .string(self) }

  public init?(_ value: ChimedValue) {
    guard case .string(let value) = value else { return nil }
    self = value
  }
}

extension Array: ChimedSettingValue where Element: ChimedSettingValue {
  public var chimedValue: ChimedValue { .array(map(\.chimedValue)) }

  public init?(_ value: ChimedValue) {
    guard case .array(let values) = value else { return nil }
    let elements = values.compactMap { Element($0) }
    guard elements.count == values.count else { return nil }
    self = elements
  }
}

/// A setting that may be unset. Nil is the JSON value null.
extension Optional: ChimedSettingValue where Wrapped: ChimedSettingValue {
  public var chimedValue: ChimedValue { self?.chimedValue ?? .null }

  public init?(_ value: ChimedValue) {
    if case .null = value {
      self = .none
    } else if let value = Wrapped(value) {
      self = .some(value)
    } else {
      return nil
    }
  }
}

/// An enum with texts as raw values, such as `ChimedWeekday`. Its JSON value is the raw value.
extension ChimedSettingValue where Self: RawRepresentable<String> {
  public var chimedValue: ChimedValue { .string(rawValue) }

  public init?(_ value: ChimedValue) {
    guard case .string(let text) = value else { return nil }
    self.init(rawValue: text)
  }
}
