package import JSON

/// A member of a payload, without the type of its content.
struct PayloadField<Value>: Sendable {
  let name: String
  let schema: @Sendable () -> Schema
  let isRequired: Bool
  /// Writes the key and the value; writes nothing if an optional member has no value.
  let write: @Sendable (Value, inout JSONWriter) -> Void
}

/// One or more members of a payload.
protocol FieldSource<Value> {
  associatedtype Value

  var fields: [PayloadField<Value>] { get }
}

/// A member of a payload: its name, kind and description, and the function that returns its value.
package struct PayloadMember<Value, Content>: Sendable, FieldSource {
  package let name: String
  let fields: [PayloadField<Value>]
  /// Reads the content from a document; nil if it is missing or has another type.
  package let read: @Sendable (JSONValue) -> Content?

  /// Creates a member that always has a value.
  init<Written>(
    _ name: StaticString, _ kind: ValueKind<Written, Content>, _ details: String? = nil,
    _ content: @escaping @Sendable (Value) -> Written
  ) {
    let write = kind.write
    self.init(name, kind, details, isRequired: true, read: Self.required(kind)) {
      $1.key(constant: name)
      write(content($0), &$1)
    }
  }

  /// Creates a member that is null if there is no value.
  init<Written, Read>(
    _ name: StaticString, orNull kind: ValueKind<Written, Read>, _ details: String? = nil,
    _ content: @escaping @Sendable (Value) -> Written?
  ) where Content == Read? {
    let write = kind.write
    self.init(name, kind.orNull, details, isRequired: true, read: Self.optional(kind)) {
      $1.key(constant: name)
      if let content = content($0) { write(content, &$1) } else { $1.null() }
    }
  }

  /// Creates a member that is left out if there is no value.
  init<Written, Read>(
    _ name: StaticString, optional kind: ValueKind<Written, Read>, _ details: String? = nil,
    _ content: @escaping @Sendable (Value) -> Written?
  ) where Content == Read? {
    let write = kind.write
    self.init(name, kind, details, isRequired: false, read: Self.optional(kind)) {
      guard let content = content($0) else { return }
      $1.key(constant: name)
      write(content, &$1)
    }
  }

  private init<Written, Read>(
    _ name: StaticString, _ kind: ValueKind<Written, Read>, _ details: String?, isRequired: Bool,
    read: @escaping @Sendable (JSONValue?) -> Content?,
    write: @escaping @Sendable (Value, inout JSONWriter) -> Void
  ) {
    let name = name.description
    self.name = name
    fields = [
      PayloadField(
        name: name, schema: kind.described(details).schema, isRequired: isRequired, write: write)
    ]
    self.read = { read($0[name]) }
  }

  private static func required<Written>(
    _ kind: ValueKind<Written, Content>
  ) -> @Sendable (JSONValue?) -> Content? {
    { $0.flatMap(kind.read) }
  }

  /// An optional member with a value of the wrong type counts as missing.
  private static func optional<Written, Read>(
    _ kind: ValueKind<Written, Read>
  ) -> @Sendable (JSONValue?) -> Read?? {
    { .some($0.flatMap(kind.read)) }
  }
}

/// The members of another payload, included in this one.
package struct PayloadMembers<Value, Body: Payload>: Sendable, FieldSource {
  let fields: [PayloadField<Value>]

  init(_: Body.Type, _ convert: @escaping @Sendable (Value) -> Body.Value) {
    fields = Body.shape.fields.map { field in
      PayloadField(name: field.name, schema: field.schema, isRequired: field.isRequired) {
        field.write(convert($0), &$1)
      }
    }
  }
}

/// One member for each value of a list that is known when the service starts, such as the kinds of
/// activity.
struct ListedMembers<Value>: Sendable, FieldSource {
  let fields: [PayloadField<Value>]

  init<Word: Sendable, Written, Read>(
    _ words: [Word], named name: (Word) -> String, _ kind: ValueKind<Written, Read>,
    areRequired: Bool = false,
    _ content: @escaping @Sendable (Value, Word) -> Written?
  ) {
    fields = words.map { word in
      let name = name(word)
      return PayloadField(name: name, schema: kind.schema, isRequired: areRequired) {
        guard let content = content($0, word) else { return }
        $1.key(name)
        kind.write(content, &$1)
      }
    }
  }
}
