import CivilTime
package import JSON

/// A JSON object of the API, described once: its schema, how it is written and how a client reads
/// it follow from its members. These are the stored properties of whatever conforms, in their
/// order.
package protocol Payload: Sendable {
  /// What it is written from.
  associatedtype Value

  typealias Member<Content> = PayloadMember<Value, Content>
  typealias Members<Part: Payload> = PayloadMembers<Value, Part>

  static var shape: PayloadShape<Self> { get }
}

/// A payload with its members as a list; made once for each type.
package struct PayloadShape<Body: Payload>: Sendable {
  /// For whoever names members by their key paths.
  package let body: Body
  let component: Component?
  /// Whether there may be more than these members.
  private let isOpen: Bool
  let fields: [PayloadField<Body.Value>]

  /// - Parameter component: the name of its schema, if others refer to it.
  init(_ body: Body, as component: Component? = nil, isOpen: Bool = false) {
    self.body = body
    self.component = component
    self.isOpen = isOpen
    fields = members(of: body, as: (any FieldSource<Body.Value>).self).flatMap { $0.fields }
  }

  func write(_ value: Body.Value, to writer: inout JSONWriter) {
    writer.beginObject()
    writeMembers(of: value, to: &writer)
    writer.endObject()
  }

  func writeMembers(of value: Body.Value, to writer: inout JSONWriter) {
    for field in fields { field.write(value, &writer) }
  }

  /// The schema itself.
  var schema: Schema {
    var schema = Schema.object(properties)
    if isOpen { schema.json["additionalProperties"] = nil }
    return schema
  }

  var properties: [Schema.Property] {
    fields.map { field in
      var property = Schema.Property(field.name, field.schema())
      property.isRequired = field.isRequired
      return property
    }
  }

  /// The schema, or a reference to it if it has a name.
  var reference: Schema { component.map(Schema.reference) ?? schema }
}

/// The stored properties of a body in their order, each of which has to be a member.
func members<Member>(of body: Any, as _: Member.Type) -> [Member] {
  Mirror(reflecting: body).children.map { property in
    guard let member = property.value as? Member else {
      preconditionFailure("\(type(of: body)).\(property.label ?? "") is no member")
    }
    return member
  }
}

extension Payload {
  static func write(_ value: Value, to writer: inout JSONWriter) {
    shape.write(value, to: &writer)
  }
}

extension Schema {
  static func of<Body: Payload>(_: Body.Type) -> Schema { Body.shape.reference }
}

/// What a client was sent as one of the payloads.
package struct PayloadNode<Body: Payload>: Sendable {
  package let json: JSONValue

  package init(_ json: JSONValue) {
    self.json = json
  }
}

/// A page of something long.
package protocol PagePayload: Payload {
  associatedtype Item: Payload

  var items: Member<[PayloadNode<Item>]> { get }
  /// The `after` of the page behind this one.
  var next: Member<String?> { get }
}

/// Something with its place on somebody's clock.
package struct Zoned<Content> {
  let content: Content
  let zone: Zone

  init(_ content: Content, in zone: Zone) {
    self.content = content
    self.zone = zone
  }

  func local(_ instant: Instant) -> String { zone.local(at: instant).description }
}
