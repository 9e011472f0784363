import API
import JSON

/// A reply of the service, or a part of one, with the members of its payload type. Access to a
/// missing or malformed member throws an error.
@dynamicMemberLookup
struct Answer<Body: Payload> {
  let json: JSONValue

  init(_ json: JSONValue) {
    self.json = json
  }

  init(_ node: PayloadNode<Body>) {
    json = node.json
  }

  private func content<Content>(
    _ path: KeyPath<Body, PayloadMember<Body.Value, Content>>
  ) throws(CommandError) -> Content {
    let member = Body.shape.body[keyPath: path]
    if let content = member.read(json) { return content }
    throw CommandError(lacking: member.name)
  }

  subscript<Content>(
    dynamicMember path: KeyPath<Body, PayloadMember<Body.Value, Content>>
  ) -> Content {
    get throws(CommandError) { try content(path) }
  }

  subscript<Part: Payload>(
    dynamicMember path: KeyPath<Body, PayloadMember<Body.Value, PayloadNode<Part>>>
  ) -> Answer<Part> {
    get throws(CommandError) { Answer<Part>(try content(path)) }
  }

  subscript<Part: Payload>(
    dynamicMember path: KeyPath<Body, PayloadMember<Body.Value, PayloadNode<Part>?>>
  ) -> Answer<Part>? {
    get throws(CommandError) { try content(path).map { Answer<Part>($0) } }
  }

  subscript<Part: Payload>(
    dynamicMember path: KeyPath<Body, PayloadMember<Body.Value, [PayloadNode<Part>]>>
  ) -> [Answer<Part>] {
    get throws(CommandError) { try content(path).map { Answer<Part>($0) } }
  }

  subscript<Part: Payload>(
    dynamicMember path: KeyPath<Body, PayloadMember<Body.Value, [PayloadNode<Part>]?>>
  ) -> [Answer<Part>]? {
    get throws(CommandError) { try content(path)?.map { Answer<Part>($0) } }
  }

  /// The members of another payload, which `Body` includes.
  subscript<Part: Payload>(
    dynamicMember path: KeyPath<Body, PayloadMembers<Body.Value, Part>>
  ) -> Answer<Part> {
    Answer<Part>(json)
  }
}
