/// A JSON value, such as the value of a setting.
public enum ChimedValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([ChimedValue])
  case object([String: ChimedValue])

  /// Returns the value at a path of names, such as `quietHours.start`; nil if there is none.
  public func value(at path: String) -> ChimedValue? {
    path.split(separator: ".").reduce(Optional(self)) { value, name in
      guard case .object(let members) = value else { return nil }
      return members[String(name)]
    }
  }

  /// Sets the value at a path of names; creates missing objects on the path, and replaces values on
  /// the path that are not objects.
  mutating func set(_ value: ChimedValue, at path: some Sequence<Substring>) {
    var names = Array(path)
    guard !names.isEmpty else {
      self = value
      return
    }
    let name = String(names.removeFirst())
    var members: [String: ChimedValue] = [:]
    if case .object(let currentMembers) = self { members = currentMembers }
    members[name, default: .object([:])].set(value, at: names)
    self = .object(members)
  }
}

extension ChimedValue: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([ChimedValue].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: ChimedValue].self))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .array(let values): try container.encode(values)
    case .object(let members): try container.encode(members)
    }
  }
}
