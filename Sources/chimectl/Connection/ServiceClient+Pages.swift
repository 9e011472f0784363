import API
import JSON

extension ServiceClient {
  /// Requests all pages of a path and joins them to one document.
  func joined<Page: PagePayload>(_: Page.Type, _ path: String) async throws(CommandError)
    -> JSONValue
  {
    try await Page.joined { cursor, _ throws(CommandError) in
      try await document(path + (cursor.map { "&after=" + Self.segment($0) } ?? ""))
    }
  }
}

extension PagePayload {
  /// Joins pages to one document: the first page with the items of all pages.
  ///
  /// - Parameters:
  ///   - itemsMax: the number of items after which no further page is requested.
  ///   - requestPage: requests a page, from its cursor and the number of items so far.
  static func joined(
    atMost itemsMax: Int = .max,
    _ requestPage: (String?, _ count: Int) async throws(CommandError) -> JSONValue
  ) async throws(CommandError) -> JSONValue {
    let first = try await requestPage(nil, 0)
    var page = Answer<Self>(first)
    var items = try page.items
    while let cursor = try page.next, items.count < itemsMax {
      page = Answer<Self>(try await requestPage(cursor, items.count))
      items += try page.items
    }
    var document = first.objectValue ?? [:]
    document.set(Self.self, \.items, .array(items.map(\.json)))
    document.set(Self.self, \.next, try page.next.map { .string($0) } ?? .null)
    return .object(document)
  }
}

extension JSONObject {
  /// Sets a member by its key path in the payload.
  mutating func set<Body: Payload, Content>(
    _: Body.Type, _ path: KeyPath<Body, PayloadMember<Body.Value, Content>>, _ value: JSONValue
  ) {
    self[Body.shape.body[keyPath: path].name] = value
  }
}
