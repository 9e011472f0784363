import API
import JSON

extension ServiceClient {
  /// All pages behind a path, joined to one document.
  func joined<Page: PagePayload>(_: Page.Type, _ path: String) async throws(Failure) -> JSONValue {
    try await Page.joined { place, _ throws(Failure) in
      try await document(path + (place.map { "&after=" + Self.segment($0) } ?? ""))
    }
  }
}

extension PagePayload {
  /// Pages one after the other as one document: the first, with the items of all.
  ///
  /// - Parameters:
  ///   - most: how many items are enough.
  ///   - ask: gets the place behind which the page begins, and how many items there are so far.
  static func joined(
    atMost most: Int = .max, _ ask: (String?, _ count: Int) async throws(Failure) -> JSONValue
  ) async throws(Failure) -> JSONValue {
    let first = try await ask(nil, 0)
    var page = Answer<Self>(first)
    var items = try page.items
    while let place = try page.next, items.count < most {
      page = Answer<Self>(try await ask(place, items.count))
      items += try page.items
    }
    var whole = first.objectValue ?? [:]
    whole.set(Self.self, \.items, .array(items.map(\.json)))
    whole.set(Self.self, \.next, try page.next.map { .string($0) } ?? .null)
    return .object(whole)
  }
}

extension JSONObject {
  /// Sets what a payload calls by a name of its own.
  mutating func set<Body: Payload, Content>(
    _: Body.Type, _ path: KeyPath<Body, PayloadMember<Body.Value, Content>>, _ value: JSONValue
  ) {
    self[Body.shape.body[keyPath: path].name] = value
  }
}
