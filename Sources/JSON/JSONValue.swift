/// A JSON document or a part of one (RFC 8259).
///
/// Equality is exact: strings are equal when their code units are (Swift's own equality also
/// takes strings for equal that only look alike), objects whatever the order of their members,
/// and an `integer` never equals a `number`. To compare what documents mean, compare
/// `JSONWriter.canonical`.
package enum JSONValue: Sendable {
  case null
  case bool(Bool)
  /// A number written without fraction or exponent that fits.
  case integer(Int64)
  /// Any other number; never infinite and never NaN when it comes from `JSONParser`.
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
