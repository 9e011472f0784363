extension JSONValue {
  /// The member of an object, or nil when there is none or this is no object.
  package subscript(key: String) -> JSONValue? {
    objectValue?[key]
  }

  /// The element of an array, or nil when there is none or this is no array.
  package subscript(index: Int) -> JSONValue? {
    guard let values = arrayValue, values.indices.contains(index) else { return nil }
    return values[index]
  }

  package var isNull: Bool {
    if case .null = self { true } else { false }
  }

  package var boolValue: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  /// The integer this is, however it was written: 7, 7.0 and 0.7e1 are all 7.
  package var integerValue: Int64? {
    switch self {
    case .integer(let value): value
    case .number(let value): Int64(exactly: value)
    default: nil
    }
  }

  /// The number this is; an integer beyond ±2^53 is rounded to the nearest that a Double holds.
  package var numberValue: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  }

  package var stringValue: String? {
    if case .string(let value) = self { value } else { nil }
  }

  package var arrayValue: [JSONValue]? {
    if case .array(let values) = self { values } else { nil }
  }

  package var objectValue: JSONObject? {
    if case .object(let object) = self { object } else { nil }
  }

  /// What this is in words that fit after "expected … but found": "a string", "an object".
  package var kind: String {
    switch self {
    case .null: "null"
    case .bool: "a boolean"
    case .integer: "an integer"
    case .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}
