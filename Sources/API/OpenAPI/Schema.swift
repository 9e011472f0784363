import JSON

/// A JSON Schema (draft 2020-12), as OpenAPI 3.1 uses it.
struct Schema: Sendable, Hashable {
  var json: JSONObject

  init(_ json: JSONObject) {
    self.json = json
  }

  init(type: String, _ keywords: JSONObject = [:]) {
    json = ["type": .string(type)]
    for member in keywords { json[member.key] = member.value }
  }

  /// A member of an object.
  struct Property: Sendable, Hashable {
    let name: String
    let schema: Schema
    var isRequired = true

    init(_ name: String, _ schema: Schema) {
      self.name = name
      self.schema = schema
    }

    /// An optional member.
    static func optional(_ name: String, _ schema: Schema) -> Property {
      var property = Property(name, schema)
      property.isRequired = false
      return property
    }
  }
}

extension Schema {
  static let boolean = Schema(type: "boolean")
  static let text = Schema(type: "string")
  static let null = Schema(type: "null")
  /// Any bytes, in the form that client generators support.
  static let bytes = Schema(type: "string", ["format": "binary"])
  static let instant = Schema(
    type: "string", ["format": "date-time", "examples": ["2026-03-02T21:00:00.000Z"]])
  /// A date and time in a local zone, which another member names.
  static let localTime = Schema(type: "string", ["examples": ["2026-03-02T16:00:00.000"]])
  static let date = Schema(type: "string", ["format": "date", "examples": ["2026-03-10"]])
  static let instantOrDate = Schema(["anyOf": [.object(instant.json), .object(date.json)]])
  static let duration = Schema(type: "string", ["examples": ["PT15M", "15m"]])
  static let object = Schema(type: "object")

  /// - Parameter length: the allowed length in Unicode code points, as JSON Schema counts.
  static func text(_ length: ClosedRange<Int>) -> Schema {
    Schema(
      type: "string",
      [
        "minLength": .integer(Int64(length.lowerBound)),
        "maxLength": .integer(Int64(length.upperBound)),
      ])
  }

  static func integer(_ range: ClosedRange<Int64>) -> Schema {
    Schema(
      type: "integer",
      ["minimum": .integer(range.lowerBound), "maximum": .integer(range.upperBound)])
  }

  static let seconds = Schema(type: "number", ["minimum": 0])

  /// A whole number that is not negative.
  static let count = Schema(type: "integer", ["minimum": 0])

  static func constant(_ text: String) -> Schema {
    Schema(type: "string", ["const": .string(text)])
  }

  /// One of the given words. If there are no words, any text is allowed, because client generators
  /// reject an empty list.
  static func word(_ words: [String]) -> Schema {
    if words.isEmpty { return .text }
    return Schema(type: "string", ["enum": .array(words.map { .string($0) })])
  }

  static func list(_ item: Schema, atMost most: Int? = nil) -> Schema {
    var schema = Schema(type: "array", ["items": .object(item.json)])
    if let most { schema.json["maxItems"] = .integer(Int64(most)) }
    return schema
  }

  static func oneOf(_ schemas: [Schema]) -> Schema {
    Schema(["oneOf": .array(schemas.map { .object($0.json) })])
  }

  /// An object with these members and no others.
  static func object(_ properties: [Property]) -> Schema {
    var schema = Schema(type: "object")
    var members = JSONObject()
    for property in properties { members[property.name] = .object(property.schema.json) }
    schema.json["properties"] = .object(members)
    let requiredNames = properties.filter(\.isRequired).map(\.name)
    if !requiredNames.isEmpty {
      schema.json["required"] = .array(requiredNames.map { .string($0) })
    }
    schema.json["additionalProperties"] = false
    return schema
  }

  static func object(_ properties: Property...) -> Schema { object(properties) }

  static func reference(_ component: Component) -> Schema {
    Schema(["$ref": .string("#/components/schemas/\(component.rawValue)")])
  }

  var orNull: Schema { Schema(["anyOf": [.object(json), .object(Schema.null.json)]]) }

  func described(_ text: String?) -> Schema {
    guard let text else { return self }
    var schema = self
    schema.json["description"] = .string(text)
    return schema
  }

  func example(_ example: JSONValue) -> Schema {
    var schema = self
    schema.json["examples"] = [example]
    return schema
  }
}
