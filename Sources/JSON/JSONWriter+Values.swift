extension JSONWriter {
  /// Writes any value, compact, members in their own order.
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

  /// Writes any value as `canonical` has it.
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
  /// The document without any space, members in their own order.
  package static func compact(_ value: JSONValue) -> [UInt8] {
    var writer = JSONWriter()
    writer.value(value)
    return writer.bytes
  }

  /// The text that all documents with the same content share: compact, members in the order of
  /// their keys' UTF-8 code units, and a number that Int64 can hold written as an integer.
  package static func canonical(_ value: JSONValue) -> [UInt8] {
    var writer = JSONWriter()
    writer.canonicalValue(value)
    return writer.bytes
  }
}
