import JSON
import NIOCore

/// A JSON object in a request body. The stored properties of a payload are the members of the
/// object; they define the schema and how the object is read.
protocol RequestPayload: Sendable {
  typealias Member = BodyMember

  static var shape: BodyShape<Self> { get }
}

/// The list of a body's members; created once for each type.
struct BodyShape<Body: RequestPayload>: Sendable {
  /// An instance of the body, whose key paths identify the members.
  let body: Body
  let properties: [Schema.Property]

  init(_ body: Body) {
    self.body = body
    properties = members(of: body, as: (any BodyProperty).self).map(\.property)
  }
}

extension Schema {
  static func of<Body: RequestPayload>(_: Body.Type) -> Schema { .object(Body.shape.properties) }
}

protocol BodyProperty {
  var property: Schema.Property { get }
}

/// A member of a body: its name, kind and description.
struct BodyMember<Content>: Sendable, BodyProperty {
  let property: Schema.Property
  let read: @Sendable (JSONObject) throws(Problem) -> Content

  init(_ name: String, _ kind: InputKind<Content>, _ details: String? = nil) {
    property = .init(name, kind.schema.described(details))
    read = { (body) throws(Problem) in try kind.read(body[name], name) }
  }

  /// A member that may be null or left out.
  init<Wrapped>(
    _ name: String, optional kind: InputKind<Wrapped>, _ details: String? = nil
  ) where Content == Wrapped? {
    property = .optional(name, kind.schema.orNull.described(details))
    read = { (body) throws(Problem) in
      guard let value = body[name], !value.isNull else { return nil }
      return try kind.read(value, name)
    }
  }
}

/// A received body, whose members are parsed on access.
@dynamicMemberLookup
struct ReceivedBody<Body: RequestPayload> {
  private let object: JSONObject

  /// - Throws: `Problem` for a member that `Body` does not declare.
  init(_ object: JSONObject) throws(Problem) {
    let names = Body.shape.properties.map(\.name)
    for member in object where !names.contains(member.key) {
      let remedy = names.isEmpty ? "there are no members" : "use \(names.joined(separator: ", "))"
      throw Problem(
        .invalidBody, "\(member.key.shortened) is not known; \(remedy)", path: member.key)
    }
    self.object = object
  }

  subscript<Content>(dynamicMember path: KeyPath<Body, BodyMember<Content>>) -> Content {
    get throws(Problem) { try Body.shape.body[keyPath: path].read(object) }
  }
}

extension Call {
  /// Reads the whole body, an object with the members of `Body` and no others.
  func body<Body: RequestPayload>(
    _: Body.Type, within limits: APILimits
  ) async throws(Problem) -> ReceivedBody<Body> {
    try ReceivedBody(await object(within: limits))
  }

  /// Reads the whole body, which must be an object.
  func object(within limits: APILimits) async throws(Problem) -> JSONObject {
    try JSONObject(await body(within: limits), within: limits)
  }
}

extension JSONObject {
  /// Parses a body that must be an object.
  init(_ body: ByteBuffer, within limits: APILimits) throws(Problem) {
    switch body.withUnsafeReadableBytes(JSONParser(maximumBytes: limits.body).result) {
    case .success(.object(let object)): self = object
    case .success(let value):
      throw Problem(.malformedText, "the body must be an object; it is \(value.kind)")
    case .failure(let error): throw Problem(error)
    }
  }
}
