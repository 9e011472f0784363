extension JSONWriter {
  /// Writes a value compactly, with members in the order of each object.
  package mutating func value(_ value: JSONValue) {
    switch value {
    case .null: null()
    case .bool(let value): self.value(value)
    case .integer(let value): self.value(value)
    case .number(let value): self.value(value)
    case .string(let value): self.value(value)
    case .array(let values):
      beginArray()
      for value in values { self.value(value) }
      endArray()
    case .object(let object):
      beginObject()
      for member in object {
        key(member.key)
        self.value(member.value)
      }
      endObject()
    }
  }

  /// Writes a value in the form of `canonical`.
  private mutating func canonicalValue(_ value: JSONValue) {
    switch value {
    case .number(let number):
      if let integer = Int64(exactly: number) { self.value(integer) } else { self.value(number) }
    case .array(let values):
      beginArray()
      for value in values { canonicalValue(value) }
      endArray()
    case .object(let object):
      beginObject()
      for member in object.sortedMembers {
        key(member.key)
        canonicalValue(member.value)
      }
      endObject()
    case .null, .bool, .integer, .string: self.value(value)
    }
  }
}

extension JSONWriter {
  /// Returns the document without spaces, with members in the order of each object.
  package static func compact(_ value: JSONValue) -> [UInt8] {
    var writer = JSONWriter()
    writer.value(value)
    return writer.bytes
  }

  /// Returns a compact text that is the same for all documents with the same content. Members are
  /// sorted by their keys' UTF-8 code units. Numbers that equal an Int64 are written as integers.
  package static func canonical(_ value: JSONValue) -> [UInt8] {
    var writer = JSONWriter()
    writer.canonicalValue(value)
    return writer.bytes
  }
}

extension JSONWriter {
  /// Writes a member of an object; the key must be ASCII that needs no escape.
  package mutating func member(_ key: StaticString, _ value: String) {
    self.key(constant: key)
    self.value(value)
  }

  package mutating func member(_ key: StaticString, _ value: Int64) {
    self.key(constant: key)
    self.value(value)
  }

  package mutating func member(_ key: StaticString, _ value: Int) {
    self.key(constant: key)
    self.value(value)
  }

  package mutating func member(_ key: StaticString, _ value: Double) {
    self.key(constant: key)
    self.value(value)
  }

  package mutating func member(_ key: StaticString, _ value: Bool) {
    self.key(constant: key)
    self.value(value)
  }

  package mutating func member(_ key: StaticString, _ value: JSONValue) {
    self.key(constant: key)
    self.value(value)
  }
}

extension JSONWriter {
  /// Returns the document for human readers: one line for each member and element, indented by two
  /// spaces per level.
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
