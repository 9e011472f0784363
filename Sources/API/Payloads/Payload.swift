import CivilTime
package import JSON

/// A JSON object of the API. The stored properties of a payload are the members of the object, in
/// order. They define the schema, how the service writes the object, and how clients read it.
package protocol Payload: Sendable {
  /// The type from which the values of the members are read.
  associatedtype Value

  typealias Member<Content> = PayloadMember<Value, Content>
  typealias Members<Part: Payload> = PayloadMembers<Value, Part>

  static var shape: PayloadShape<Self> { get }
}

/// The list of a payload's members; created once for each type.
package struct PayloadShape<Body: Payload>: Sendable {
  /// An instance of the payload, whose key paths identify the members.
  package let body: Body
  /// The name of the schema; nil if no other schema refers to it.
  let component: Component?
  /// Whether the schema allows other members.
  private let allowsOtherMembers: Bool
  let fields: [PayloadField<Body.Value>]

  /// - Parameter component: the name of the schema, if other schemas refer to it.
  init(_ body: Body, as component: Component? = nil, allowsOtherMembers: Bool = false) {
    self.body = body
    self.component = component
    self.allowsOtherMembers = allowsOtherMembers
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

  /// The schema, without a reference.
  var schema: Schema {
    var schema = Schema.object(properties)
    if allowsOtherMembers { schema.json["additionalProperties"] = nil }
    return schema
  }

  var properties: [Schema.Property] {
    fields.map { field in
      var property = Schema.Property(field.name, field.schema())
      property.isRequired = field.isRequired
      return property
    }
  }

  /// A reference to the schema if it has a name, else the schema.
  var reference: Schema { component.map(Schema.reference) ?? schema }
}

/// Returns the stored properties of a payload or body, in order; traps if one of them is not a
/// member.
func members<Member>(of body: Any, as _: Member.Type) -> [Member] {
  Mirror(reflecting: body).children.map { property in
    guard let member = property.value as? Member else {
      preconditionFailure("\(type(of: body)).\(property.label ?? "") is not a member")
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

/// A payload as a client received it.
package struct PayloadNode<Body: Payload>: Sendable {
  package let json: JSONValue

  package init(_ json: JSONValue) {
    self.json = json
  }
}

/// A page of a long list.
package protocol PagePayload: Payload {
  associatedtype Item: Payload

  /// The member that contains the items of the page.
  var items: Member<[PayloadNode<Item>]> { get }
  /// The cursor of the next page, to send as `after`; nil on the last page.
  var next: Member<String?> { get }
}

/// A value with the zone for its local times.
package struct Zoned<Content> {
  let content: Content
  let zone: Zone

  init(_ content: Content, in zone: Zone) {
    self.content = content
    self.zone = zone
  }

  func local(_ instant: Instant) -> String { zone.local(at: instant).description }
}
