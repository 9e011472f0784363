import JSON

/// Collects the schemas of a document by name. Client generators create a type for each named
/// schema and handle unnamed ones badly. So every object gets a name, even a nested one.
struct ComponentSchemas {
  private(set) var json = JSONObject()
  /// The names in use, in lower case. Names that differ only in case would become one file of a
  /// generated client.
  private var usedNames: Set<String> = []

  /// Reserves a name for a schema that is added later.
  mutating func reserve(_ name: String) {
    usedNames.insert(name.lowercased())
  }

  /// Adds a schema under a reserved name.
  mutating func add(_ name: String, _ schema: Schema) {
    json[name] = .object(withNamedParts(schema.json, of: name))
  }

  /// Adds an object schema that has members, and returns a reference to it. The schema is added
  /// under the given name, with a number if that name is in use. Any other schema is not added:
  /// it is returned with references to the objects in it.
  mutating func addNested(_ schema: JSONValue, _ name: String) -> JSONValue {
    guard case .object(let object) = schema, object["$ref"] == nil else { return schema }
    let namedSchema = withNamedParts(object, of: name)
    guard let members = namedSchema["properties"]?.objectValue, !members.isEmpty else {
      return .object(namedSchema)
    }
    return ["$ref": .string(Self.reference(register(namedSchema, as: name)))]
  }

  static func reference(_ name: String) -> String { "#/components/schemas/\(name)" }

  /// Adds the objects in a schema under names of their own. Returns the schema with references to
  /// them.
  private mutating func withNamedParts(_ schema: JSONObject, of name: String) -> JSONObject {
    var schema = schema
    // Generators name types after titles, which are not unique.
    if let title = schema["title"], title.stringValue != nil {
      schema["title"] = nil
      if schema["description"] == nil { schema["description"] = title }
    }
    if case .object(var members)? = schema["properties"] {
      for member in members {
        members[member.key] = addNested(member.value, name + Self.typeName(member.key))
      }
      schema["properties"] = .object(members)
    }
    if let items = schema["items"] { schema["items"] = addNested(items, Self.singular(name)) }
    for keyword in ["anyOf", "oneOf"] {
      guard let alternatives = schema[keyword]?.arrayValue else { continue }
      schema[keyword] = .array(alternatives.map { addNested($0, name) })
    }
    return schema
  }

  /// Adds a schema under a free name and returns the name. An equal schema that is there already is
  /// not added again.
  private mutating func register(_ schema: JSONObject, as wanted: String) -> String {
    var (name, number) = (wanted, 2)
    while usedNames.contains(name.lowercased()) {
      if json[name] == .object(schema) { return name }
      (name, number) = ("\(wanted)\(number)", number + 1)
    }
    reserve(name)
    json[name] = .object(schema)
    return name
  }

  /// `lesson.completed` as a type name: `LessonCompleted`.
  static func typeName(_ text: String) -> String {
    let words = text.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
    return words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }

  private static func singular(_ name: String) -> String {
    if name.hasSuffix("ies") { return name.dropLast(3) + "y" }
    return name.hasSuffix("s") ? String(name.dropLast()) : name + "Item"
  }
}
