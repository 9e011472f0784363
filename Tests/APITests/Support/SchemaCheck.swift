import JSON

/// Validates a value against a JSON Schema, for the keywords that our schemas use. An unknown
/// keyword is a finding, so that no check is skipped silently.
struct SchemaCheck {
  /// The whole OpenAPI document, to which the references of schemas lead.
  let document: JSONValue

  /// The mismatches, each with its path.
  func findings(_ value: JSONValue, _ schema: JSONValue, at path: String = "") -> [String] {
    guard let keywords = schema.objectValue else { return ["\(path): there is no schema"] }
    return keywords.flatMap { findings(value, $0, within: keywords, path) }
  }

  private func findings(
    _ value: JSONValue, _ keyword: JSONObject.Member, within schema: JSONObject, _ path: String
  ) -> [String] {
    let wanted = keyword.value
    switch keyword.key {
    case "description", "discriminator", "examples", "format", "pattern": return []
    case "$ref": return findings(value, component(wanted), at: path)
    case "type": return hasType(wanted.stringValue, value) ? [] : ["\(path) is \(value.kind)"]
    case "const": return value == wanted ? [] : ["\(path) is \(value), not \(wanted)"]
    case "enum":
      return wanted.arrayValue?.contains(value) == true ? [] : ["\(path) is \(value)"]
    case "minimum": return isAtMost(wanted, value) ? [] : ["\(path) is less than \(wanted)"]
    case "maximum": return isAtMost(value, wanted) ? [] : ["\(path) is more than \(wanted)"]
    case "minLength", "maxLength", "minItems", "maxItems", "minProperties":
      return hasAllowedSize(value, keyword) ? [] : ["\(path) breaks \(keyword.key) \(wanted)"]
    case "items":
      return (value.arrayValue ?? []).enumerated().flatMap { index, item in
        findings(item, wanted, at: "\(path)[\(index)]")
      }
    case "properties": return members(of: value, wanted, path)
    case "required":
      let names = (wanted.arrayValue ?? []).compactMap(\.stringValue)
      return names.filter { value[$0] == nil }.map { "\(path).\($0) is missing" }
    case "additionalProperties":
      let described = schema["properties"]?.objectValue
      let undescribed = (value.objectValue?.members ?? []).filter { described?[$0.key] == nil }
      guard wanted == false else {
        return undescribed.flatMap { findings($0.value, wanted, at: "\(path).\($0.key)") }
      }
      return undescribed.map { "\(path).\($0.key) is not described" }
    case "anyOf", "oneOf":
      let findingLists = (wanted.arrayValue ?? []).map { findings(value, $0, at: path) }
      let count = findingLists.filter(\.isEmpty).count
      let isValid = keyword.key == "anyOf" ? count > 0 : count == 1
      return isValid ? [] : ["\(path) fits \(count) of \(keyword.key): \(findingLists)"]
    default: return ["\(path): the keyword \(keyword.key) is not known to this check"]
    }
  }

  private func members(of value: JSONValue, _ schemas: JSONValue, _ path: String) -> [String] {
    (schemas.objectValue?.members ?? []).flatMap { member in
      value[member.key].map { findings($0, member.value, at: "\(path).\(member.key)") } ?? []
    }
  }

  private func component(_ reference: JSONValue) -> JSONValue {
    let parts = (reference.stringValue ?? "").split(separator: "/").dropFirst()
    return parts.reduce(document) { $0[String($1)] ?? .null }
  }

  private func hasType(_ type: String?, _ value: JSONValue) -> Bool {
    switch type {
    case "object": value.objectValue != nil
    case "array": value.arrayValue != nil
    case "string": value.stringValue != nil
    case "boolean": value.boolValue != nil
    case "integer": value.integerValue != nil
    case "number":
      switch value {
      case .integer, .number: true
      default: false
      }
    case "null": value.isNull
    default: false
    }
  }

  /// Returns false only if both values are numbers and `value` is greater than `limit`.
  private func isAtMost(_ value: JSONValue, _ limit: JSONValue) -> Bool {
    guard let value = value.numberValue, let limit = limit.numberValue else { return true }
    return value <= limit
  }

  private func hasAllowedSize(_ value: JSONValue, _ keyword: JSONObject.Member) -> Bool {
    let size = value.stringValue?.unicodeScalars.count ?? value.arrayValue?.count
    guard let size = size ?? value.objectValue?.count, let limit = keyword.value.integerValue
    else { return true }
    return keyword.key.hasPrefix("min") ? size >= limit : size <= limit
  }
}
