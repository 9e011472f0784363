extension JSONWriter {
  /// The document for people: two spaces a level, a line for each member and element.
  package static func prettyPrinted(_ value: JSONValue) -> String {
    pretty(value, indentation: "")
  }

  private static func pretty(_ value: JSONValue, indentation: String) -> String {
    let inner = indentation + "  "
    switch value {
    case .array(let values) where !values.isEmpty:
      let lines = values.map { inner + pretty($0, indentation: inner) }
      return "[\n" + lines.joined(separator: ",\n") + "\n\(indentation)]"
    case .object(let object) where !object.isEmpty:
      let lines = object.map { member in
        "\(inner)\(JSONValue.string(member.key)): \(pretty(member.value, indentation: inner))"
      }
      return "{\n" + lines.joined(separator: ",\n") + "\n\(indentation)}"
    default:
      return value.description
    }
  }
}
