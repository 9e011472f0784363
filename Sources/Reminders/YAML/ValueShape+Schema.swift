package import JSON

extension MappingKeys {
  /// Returns a JSON Schema of draft 7, the version that editors support for YAML.
  ///
  /// - Parameter title: the name of the document.
  package func schema(titled title: String) -> JSONValue {
    var document: JSONObject = [
      "$schema": "http://json-schema.org/draft-07/schema#", "title": .string(title),
    ]
    for member in schema { document[member.key] = member.value }
    return .object(document)
  }

  /// The schema of a mapping with these keys, without the members of a document.
  var schema: JSONObject {
    var schema: JSONObject = ["type": "object"]
    var properties = JSONObject()
    for key in keys {
      var property = key.shape.schema
      property["description"] = .string(key.meaning)
      properties[key.name] = .object(property)
    }
    if !keys.isEmpty { schema["properties"] = .object(properties) }
    if !requiredNames.isEmpty {
      schema["required"] = .array(requiredNames.map { .string($0) })
    }
    schema["additionalProperties"] = others.map { .object($0.schema) } ?? .bool(false)
    return schema
  }
}

extension ValueShape {
  var schema: JSONObject {
    switch self {
    case .text: ["type": ["string", "number", "boolean"]]
    case .toggle: ["type": "boolean"]
    case .number: ["type": "number"]
    case .wholeNumber: ["type": "integer"]
    case .span: Self.pattern("^(([0-9]+(w|d|h|ms|m|s) ?)+|P[0-9.DHMSTW]+)$")
    case .time: Self.pattern("^([01][0-9]|2[0-3]):[0-5][0-9]$")
    case .reference: Self.pattern("^[$]")
    case .word(let words): ["enum": .array(words.map { .string($0) })]
    case .list(let shape): ["type": "array", "items": .object(shape.schema)]
    case .mapping(let keys): keys.schema
    case .either(let shapes): ["anyOf": .array(shapes.map { .object($0.schema) })]
    case .anything: [:]
    }
  }

  private static func pattern(_ pattern: String) -> JSONObject {
    ["type": "string", "pattern": .string(pattern)]
  }
}
