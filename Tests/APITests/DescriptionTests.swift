import Access
import JSON
import Reminders
import Testing

@testable import API

/// The description of the interface, `/openapi.json` (rule H2). `TestServer.call` checks each
/// response of the other tests against it.
@Suite(.timeLimit(.minutes(1))) struct DescriptionTests {
  /// The description with all routes, including those that only some services have.
  private func document() async throws -> JSONValue {
    let service = try FakeService(Fixtures.urbannest)
    let access = APIAccess(tokens: FakeTokens(), linkKey: CurrentLinkKey())
    return try await TestServer.serving(service, access: access, control: FakeControl()) {
      try await $0.get("/openapi.json").json
    }
  }

  /// `TestServer.call` checks responses against a document that it creates itself.
  @Test func `H2: the served description is the one that responses are checked against`()
    async throws
  {
    let service = try FakeService(Fixtures.urbannest)
    try await TestServer.serving(service, control: FakeControl()) { server in
      let served = try await server.get("/openapi.json").json
      #expect(served == server.description)
    }
  }

  @Test func `H2: the description covers control, tokens and links in e-mails`() async throws {
    let paths = try await document()["paths"]
    for path in ["/v1/reload", "/v1/log", "/v1/tokens", "/unsubscribe/{token}"] {
      #expect(paths?[path] != nil, "\(path)")
    }
  }

  @Test func `every operation has a unique name, a summary and a response`() async throws {
    let paths = try #require(try await document()["paths"]?.objectValue)
    let operations = paths.flatMap { $0.value.objectValue?.members.map(\.value) ?? [] }
    let names = operations.compactMap { $0["operationId"]?.stringValue }
    #expect(names.count == operations.count)
    #expect(Set(names).count == names.count)
    for operation in operations {
      #expect(operation["summary"]?.stringValue?.isEmpty == false)
      #expect(operation["responses"]?.objectValue?.members.contains { $0.key < "300" } == true)
    }
  }

  @Test func `every variable segment of a path is described`() async throws {
    let paths = try #require(try await document()["paths"]?.objectValue)
    for path in paths {
      let names = path.key.split(separator: "/").filter { $0.hasPrefix("{") }
        .map { String($0.dropFirst().dropLast()) }
      for operation in path.value.objectValue?.members ?? [] {
        let parameters = operation.value["parameters"]?.arrayValue ?? []
        let described = parameters.filter { $0["in"] == "path" }.compactMap {
          $0["name"]?.stringValue
        }
        #expect(described == names)
      }
    }
  }

  @Test func `every example matches its schema`() async throws {
    let document = try await document()
    var count = 0
    func check(_ value: JSONValue, _ path: String) {
      if let schema = value["schema"], let example = value["example"] {
        count += 1
        let findings = SchemaCheck(document: document).findings(example, schema)
        #expect(findings == [], "the example at \(path)")
      }
      for member in value.objectValue?.members ?? [] {
        check(member.value, path + "/" + member.key)
      }
      for item in value.arrayValue ?? [] { check(item, path) }
    }
    check(document["paths"] ?? .null, "")
    #expect(count > 5)
  }

  @Test func `settings and events of the loaded catalogs are described`() async throws {
    let schemas = try #require(try await document()["components"]?["schemas"])
    let promotions = schemas["PreferencesCategoriesPROMOTIONS"]
    #expect(promotions?["properties"]?["push"]?["type"] == "boolean")
    let event = try #require(schemas["Event"])
    let names = event["oneOf"]?.arrayValue?.compactMap(Self.component) ?? []
    let types = names.map { schemas[$0]?["properties"]?["type"]?["const"]?.stringValue }
    let declared = try Fixtures.urbannest.get().catalog.events.filter { !$0.isCopy }.map(\.type)
    #expect(types == declared)
    #expect(names.contains("LessonCompletedEvent"))
    let mapping = event["discriminator"]?["mapping"]?.objectValue?.members ?? []
    #expect(mapping.map(\.key) == declared)
    #expect(
      mapping.map { $0.value.stringValue?.split(separator: "/").last.map(String.init) } == names)
  }

  private static func component(_ schema: JSONValue) -> String? {
    schema["$ref"]?.stringValue?.split(separator: "/").last.map(String.init)
  }

  /// Client generators leave out a nested object that has no name.
  @Test func `every object schema is a component with a unique name`() async throws {
    let document = try await document()
    var nameless: [String] = []
    func visit(_ value: JSONValue, _ path: String) {
      if value["properties"]?.objectValue?.isEmpty == false, value["type"] == "object" {
        nameless.append(path)
      }
      for member in value.objectValue?.members ?? [] where member.key != "example" {
        visit(member.value, path + "/" + member.key)
      }
      for item in value.arrayValue ?? [] { visit(item, path) }
    }
    visit(document["paths"] ?? .null, "paths")
    let schemas = document["components"]?["schemas"]?.objectValue?.members ?? []
    for schema in schemas {
      for member in schema.value.objectValue?.members ?? [] {
        visit(member.value, schema.key + "/" + member.key)
      }
    }
    #expect(nameless == [])
    #expect(Set(schemas.map { $0.key.lowercased() }).count == schemas.count)
  }

  @Test func `every operation has a described tag`() async throws {
    let document = try await document()
    let tags = document["tags"]?.arrayValue?.compactMap { $0["name"] } ?? []
    let paths = document["paths"]?.objectValue?.members ?? []
    let operations = paths.flatMap { $0.value.objectValue?.members.map(\.value) ?? [] }
    #expect(operations.allSatisfy { $0["tags"]?[0].map(tags.contains) == true })
    #expect(Set(operations.compactMap { $0["tags"]?[0] }) == Set(tags))
    #expect(document["servers"]?[0]?["url"] == "/")
  }

  /// Requests, the description and the scopes of tokens agree on valid ids.
  @Test func `H2: the patterns of ids allow exactly the ids that are accepted`() throws {
    let (_, schema) = try #require(Catalog().eventSchemas.first)
    for idSchema in [Schema.recipient.json, schema.json["properties"]?["id"]?.objectValue] {
      let pattern = try Regex(try #require(idSchema?["pattern"]?.stringValue))
      for scalar in (0...0x100).compactMap({ Unicode.Scalar(UInt32($0)) }) {
        let text = "u" + String(Character(scalar))
        let isAccepted = scalar.properties.generalCategory != .control
        #expect((text.wholeMatch(of: pattern) != nil) == isAccepted, "\(scalar.value)")
        #expect(AccessScope.isRecipient(text) == isAccepted, "\(scalar.value)")
      }
    }
  }
}
