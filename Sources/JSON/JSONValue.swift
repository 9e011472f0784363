/// A JSON document or a part of one (RFC 8259).
///
/// Equality is exact: strings must have equal code units, unlike Swift's strings, and an `integer`
/// never equals a `number`. Objects may differ in the order of members. To compare documents by
/// meaning, compare `JSONWriter.canonical`.
package enum JSONValue: Sendable {
  case null
  case bool(Bool)
  /// A number without fraction and exponent that fits Int64.
  case integer(Int64)
  /// Any other number; finite if it comes from `JSONParser`.
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object(JSONObject)
}

extension JSONValue: Hashable {
  package static func == (left: JSONValue, right: JSONValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.integer(let left), .integer(let right)): left == right
    case (.number(let left), .number(let right)): left == right
    case (.string(let left), .string(let right)): left.hasSameBytes(as: right)
    case (.array(let left), .array(let right)): left == right
    case (.object(let left), .object(let right)): left == right
    default: false
    }
  }

  package func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0 as UInt8)
    case .bool(let value): hasher.combine(value)
    case .integer(let value): hasher.combine(value)
    case .number(let value): hasher.combine(value)
    case .string(let value): hasher.combine(value)
    case .array(let values): hasher.combine(values)
    case .object(let object): hasher.combine(object)
    }
  }
}

extension JSONValue {
  /// The member of an object; nil if the object lacks it, or the value is not an object.
  package subscript(key: String) -> JSONValue? {
    objectValue?[key]
  }

  /// The element of an array; nil if the array lacks it, or the value is not an array.
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

  /// The integer value, in any notation: 7, 7.0 and 0.7e1 are all 7.
  package var integerValue: Int64? {
    switch self {
    case .integer(let value): value
    case .number(let value): Int64(exactly: value)
    default: nil
    }
  }

  /// The numeric value; an integer beyond ±2^53 is rounded to the nearest Double.
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

  /// The kind of value in words that fit after "expected … but found": "a string", "an object".
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

extension JSONValue: ExpressibleByNilLiteral {
  package init(nilLiteral: ()) { self = .null }
}

extension JSONValue: ExpressibleByBooleanLiteral {
  package init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension JSONValue: ExpressibleByIntegerLiteral {
  package init(integerLiteral value: Int64) { self = .integer(value) }
}

extension JSONValue: ExpressibleByFloatLiteral {
  package init(floatLiteral value: Double) { self = .number(value) }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
  package init(stringLiteral value: String) { self = .string(value) }
}

extension JSONValue: ExpressibleByArrayLiteral {
  package init(arrayLiteral values: JSONValue...) { self = .array(values) }
}

extension JSONValue: ExpressibleByDictionaryLiteral {
  /// Creates an object. If a key is repeated, its last value applies.
  package init(dictionaryLiteral members: (String, JSONValue)...) {
    var object = JSONObject()
    for (key, value) in members { object[key] = value }
    self = .object(object)
  }
}

extension JSONValue: CustomStringConvertible {
  /// The compact JSON text.
  package var description: String {
    String(decoding: JSONWriter.compact(self), as: UTF8.self)
  }
}
