import Access
import JSON
import Reminders
import Testing

@testable import API

/// Routes read bodies as `/openapi.json` describes them (rule H2).
@Suite(.timeLimit(.minutes(1))) struct RequestPayloadTests {
  private struct Control: ServiceControl {
    func reload() async throws(ReloadError) -> ReloadReport { ReloadReport() }
    var logLevel: LogLevel { .info }
    func setLogLevel(_ level: LogLevel) {}
  }

  /// An operation whose body is an object with a fixed set of members.
  private struct DescribedOperation {
    let method: String
    let path: String
    let example: JSONObject
    let members: [String]
    let required: [String]

    init?(_ method: String, _ path: String, _ operation: JSONValue, in document: JSONValue) {
      let content = operation["requestBody"]?["content"]?["application/json"]
      guard let content, let schema = content["schema"] else { return nil }
      let name = schema["$ref"]?.stringValue?.split(separator: "/").last.map(String.init)
      let object = name.flatMap { document["components"]?["schemas"]?[$0] } ?? schema
      guard object["additionalProperties"] == false else { return nil }
      self.method = method.uppercased()
      let values = ["{sink}": "log", "{preset}": "custom"]
      self.path = path.split(separator: "/").map { segment in
        segment.first == "{" ? values[String(segment)] ?? "u1" : String(segment)
      }.reduce("") { "\($0)/\($1)" }
      example = content["example"]?.objectValue ?? [:]
      members = object["properties"]?.objectValue?.map(\.key) ?? []
      required = object["required"]?.arrayValue?.compactMap(\.stringValue) ?? []
    }
  }

  private func serving(
    _ body: (TestServer, [DescribedOperation]) async throws -> Void
  ) async throws {
    let service = try FakeService(Fixtures.urbannest)
    service.set { $0.recipients["u1"] = Recipient(name: "u1", now: Fixtures.now) }
    let access = APIAccess(tokens: FakeTokens())
    try await TestServer.serving(service, access: access, control: Control()) { server in
      let document = try await server.get("/openapi.json").json
      let operations = (document["paths"]?.objectValue?.members ?? []).flatMap { path in
        (path.value.objectValue?.members ?? []).compactMap {
          DescribedOperation($0.key, path.key, $0.value, in: document)
        }
      }
      try #require(operations.count > 12)
      try await body(server, operations)
    }
  }

  private func refusal(
    _ server: TestServer, _ operation: DescribedOperation, _ body: JSONObject
  ) async throws -> (path: String, text: String) {
    let path = operation.path + (operation.path.hasPrefix("/api/") ? "?recipient=u1" : "")
    let text = String(decoding: JSONWriter.canonical(.object(body)), as: UTF8.self)
    let reply = try await server.call(
      operation.method, path, headers: ["content-type": "application/json"], body: text)
    #expect(reply.status == 422, "\(operation.path) accepted \(text): \(reply.text)")
    return (try reply.json["path"]?.stringValue ?? "", reply.text)
  }

  @Test func `H2: a member that is not described is refused by name`() async throws {
    try await serving { server, operations in
      for operation in operations {
        var body = operation.example
        body["strange"] = 1
        let refusal = try await refusal(server, operation, body)
        #expect(refusal.text.contains("strange"), "\(operation.path): \(refusal.text)")
      }
    }
  }

  @Test func `H2: an invalid value of any described member is refused with its name`() async throws
  {
    try await serving { server, operations in
      for operation in operations {
        for name in operation.members {
          var body = operation.example
          body[name] = [[]]
          let refusal = try await refusal(server, operation, body)
          #expect(refusal.text.contains(name), "\(operation.path): \(refusal.text)")
          #expect(!refusal.text.contains("not known"), "\(operation.path): \(refusal.text)")
        }
      }
    }
  }

  @Test func `H2: a missing required member is refused by name`() async throws {
    try await serving { server, operations in
      for operation in operations {
        for name in operation.required {
          var body = operation.example
          body[name] = nil
          let refusal = try await refusal(server, operation, body)
          #expect(refusal.text.contains(name), "\(operation.path): \(refusal.text)")
        }
      }
    }
  }
}
