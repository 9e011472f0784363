import CivilTime
import JSON
import Reminders

/// A kind of value: its schema, and how a value of the kind is written and read.
struct ValueKind<Written, Read>: Sendable {
  /// Creates the schema on demand, because payloads may be recursive.
  let schema: @Sendable () -> Schema
  let write: @Sendable (Written, inout JSONWriter) -> Void
  /// Reads a value; nil if it has another type.
  let read: @Sendable (JSONValue) -> Read?

  init(
    _ schema: @autoclosure @escaping @Sendable () -> Schema,
    write: @escaping @Sendable (Written, inout JSONWriter) -> Void,
    read: @escaping @Sendable (JSONValue) -> Read?
  ) {
    self.schema = schema
    self.write = write
    self.read = read
  }

  func described(_ details: String?) -> Self {
    ValueKind(schema().described(details), write: write, read: read)
  }

  func example(_ text: String) -> Self {
    ValueKind(schema().example(.string(text)), write: write, read: read)
  }

  var orNull: Self { ValueKind(schema().orNull, write: write, read: read) }
}

// MARK: - Texts

extension ValueKind where Written == String, Read == String {
  static var text: Self { text(.text) }
  static var recipient: Self { text(.recipient) }
  /// A local date and time.
  static var localTime: Self { text(.localTime) }

  static func text(_ schema: Schema) -> Self {
    ValueKind(schema, write: { $1.value($0) }, read: \.stringValue)
  }

  static func word(_ words: [String]) -> Self { text(.word(words)) }
}

extension ValueKind
where Written: RawRepresentable<String> & CaseIterable & SendableMetatype, Read == Written {
  /// One of the words of an enumeration.
  static var word: Self {
    let words = Written.allCases.map(\.rawValue)
    return ValueKind(
      .word(words), write: { $1.value($0.rawValue) },
      read: { $0.stringValue.flatMap { Written(rawValue: $0) } })
  }
}

extension ValueKind where Written == Channel, Read == String {
  static var channel: Self {
    ValueKind(
      .word(Channel.allCases.map(\.name)), write: { $1.value($0.name) }, read: \.stringValue)
  }
}

// MARK: - Numbers, times

extension ValueKind where Written == Bool, Read == Bool {
  static var boolean: Self { ValueKind(.boolean, write: { $1.value($0) }, read: \.boolValue) }
}

extension ValueKind where Written == Int, Read == Int64 {
  static var count: Self { integer(.count) }

  static func integer(_ schema: Schema) -> Self {
    ValueKind(schema, write: { $1.value($0) }, read: \.integerValue)
  }
}

extension ValueKind where Written == Double, Read == Double {
  static var seconds: Self { number(.seconds) }
  static var number: Self { number(Schema(type: "number")) }

  private static func number(_ schema: Schema) -> Self {
    ValueKind(schema, write: { $1.value($0) }, read: \.numberValue)
  }
}

extension ValueKind where Written == Instant, Read == Instant {
  static var instant: Self {
    ValueKind(
      .instant, write: { $1.value($0.description) },
      read: { $0.stringValue.flatMap { Instant($0) } })
  }
}

extension ValueKind where Written == LocalDate, Read == LocalDate {
  static var date: Self {
    ValueKind(
      .date, write: { $1.value($0.description) }, read: { $0.stringValue.flatMap { LocalDate($0) } }
    )
  }
}

// MARK: - Composite values

extension ValueKind {
  static func list<Item>(
    _ item: ValueKind<Written.Element, Item>, atMost most: Int? = nil
  ) -> Self where Written: Sequence & SendableMetatype, Read == [Item] {
    let write = item.write
    return ValueKind(
      .list(item.schema(), atMost: most),
      write: { values, writer in
        writer.beginArray()
        for value in values { write(value, &writer) }
        writer.endArray()
      }, read: { $0.arrayValue.map { $0.compactMap(item.read) } })
  }

  /// An object that maps names to values of one kind.
  static func table<Item, Content>(
    of item: ValueKind<Item, Content>, _ schema: Schema = .object
  ) -> Self where Written == [(key: String, value: Item)], Read == [(key: String, value: Content)] {
    ValueKind(
      schema,
      write: { members, writer in
        writer.beginObject()
        for (key, value) in members {
          writer.key(key)
          item.write(value, &writer)
        }
        writer.endObject()
      },
      read: { table in
        table.objectValue?.compactMap { member in item.read(member.value).map { (member.key, $0) } }
      })
  }

  static func payload<Body: Payload>(
    _: Body.Type
  ) -> Self where Written == Body.Value, Read == PayloadNode<Body> {
    ValueKind(
      Body.shape.reference, write: { Body.shape.write($0, to: &$1) },
      read: { $0.objectValue == nil ? nil : PayloadNode($0) })
  }
}

// MARK: - JSON values

extension ValueKind where Written == JSONValue, Read == JSONValue {
  /// Any JSON value.
  static var any: Self { json(Schema([:])) }

  static func json(_ schema: Schema) -> Self {
    ValueKind(schema, write: { $1.value($0) }, read: \.self)
  }
}

extension ValueKind where Written == JSONObject, Read == JSONObject {
  static var object: Self { object(.object) }

  static func object(_ schema: Schema) -> Self {
    ValueKind(schema, write: { $1.value(.object($0)) }, read: \.objectValue)
  }
}

extension ValueKind where Written == [UInt8], Read == JSONObject {
  /// An object that is already JSON text.
  static var rawObject: Self { ValueKind(.object, write: { $1.raw($0) }, read: \.objectValue) }
}
