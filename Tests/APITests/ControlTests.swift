import Access
import Engine
import JSON
import Synchronization
import Testing

@testable import API

/// Control of the service by administrators (rule S1).
@Suite(.timeLimit(.minutes(1))) struct ControlTests {
  private func serving(
    _ control: FakeControl, _ body: (TestServer) async throws -> Void
  ) async throws {
    try await TestServer.serving(FakeService(), control: control, body)
  }

  @Test func `the answer to a reload lists its effects`() async throws {
    let control = FakeControl()
    try await serving(control) { server in
      let reply = try await server.call("POST", "/v1/reload")
      #expect(reply.status == 200)
      #expect(try reply.json["status"] == "reloaded")
      #expect(try reply.json["restart"] == ["listen"])
      #expect(
        try reply.json["ended"]
          == [["reminder": "weigh-in", "people": 2, "occurrences": 3]])
      #expect(
        try reply.json["outdated"]
          == ["the sink hook continues with its former settings: its secret is empty"])
    }
    #expect(control.reloads.withLock { $0 } == 1)
  }

  @Test(arguments: [nil, "a.yaml:3:1: no"])
  func `a dry run of a reload reports its effects and changes nothing`(fault: String?) async throws
  {
    let control = FakeControl(fault: fault)
    let tokens = FakeTokens()
    try await TestServer.serving(
      FakeService(), access: APIAccess(tokens: tokens), control: control
    ) { server in
      let path = "/v1/configuration-checks"
      let findings = try await server.call("POST", path).json
      #expect(
        findings == [
          "sound": .bool(fault == nil), "flaw": fault.map { .string($0) } ?? .null,
          "problems": .array(fault == nil ? [] : [Self.fault]),
          "sinks": "sinks: new two", "restart": ["listen"],
        ])
      let support = ["authorization": "Bearer \(tokens.make(.support))"]
      let refused = try await server.call("POST", path, headers: support)
      #expect(refused.status == 403)
    }
    #expect(control.reloads.withLock { $0 } == 0)
  }

  @Test(
    arguments: [
      (.storeLocked, 503, "unavailable", "5"), (.storageFull, 507, "storage-full", "60"),
    ] as [(ServiceUnavailable.Kind, Int, String, String)])
  func `E11: a reload during a lock or a full disk can be repeated`(
    kind: ServiceUnavailable.Kind, status: Int, type: String, seconds: String
  ) async throws {
    let control = FakeControl(unavailable: ServiceUnavailable(kind, "nothing was changed"))
    try await serving(control) { server in
      let reply = try await server.call("POST", "/v1/reload")
      #expect(reply.status == status && reply["retry-after"] == seconds)
      #expect(try reply.json["type"] == .string("urn:chimed:problem:\(type)"))
      #expect(try reply.json["detail"] == "nothing was changed")
    }
  }

  @Test func `a rejected reload is answered with its reason`() async throws {
    try await serving(FakeControl(fault: "a.yaml:3:1: no")) { server in
      let reply = try await server.call("POST", "/v1/reload")
      #expect(reply.status == 422)
      #expect(try reply.json["type"] == "urn:chimed:problem:reload-rejected")
      #expect(try reply.json["detail"] == "a.yaml:3:1: no")
      #expect(try reply.json["problems"] == [Self.fault])
    }
  }

  private static let fault: JSONValue = [
    "file": "a.yaml", "here": false, "line": 3, "column": 1, "message": "no",
  ]

  @Test func `the log level can be read and changed`() async throws {
    let json = ["content-type": "application/json"]
    try await serving(FakeControl()) { server in
      let first = try await server.get("/v1/log-level")
      #expect(try first.json["level"] == "info")
      let reply = try await server.call(
        "PUT", "/v1/log-level", headers: json, body: #"{"level":"error"}"#)
      #expect(reply.status == 200)
      #expect(try reply.json["level"] == "error")
      let last = try await server.get("/v1/log-level")
      #expect(try last.json["level"] == "error")
      for (body, status, path) in [
        (#"{"level":"loud"}"#, 422, "level"), ("{}", 422, "level"),
        (#"{"level":"info","x":1}"#, 422, "x"), ("[]", 400, nil), ("{", 400, nil),
      ] {
        let reply = try await server.call("PUT", "/v1/log-level", headers: json, body: body)
        #expect(reply.status == status, "\(body)")
        if let path { #expect(try reply.json["path"] == .string(path), "\(body)") }
      }
      let end = try await server.get("/v1/log-level")
      #expect(try end.json["level"] == "error")
    }
  }

  @Test func `only administrators control the service`() async throws {
    let tokens = FakeTokens()
    let secret = tokens.make(.recipient("u1"))
    try await TestServer.serving(
      FakeService(), access: APIAccess(tokens: tokens), control: FakeControl()
    ) { server in
      for (method, path) in [("POST", "/v1/reload"), ("GET", "/v1/log-level")] {
        let headers = ["authorization": "Bearer \(secret)"]
        let reply = try await server.call(method, path, headers: headers)
        #expect(reply.status == 403)
      }
    }
  }

  @Test func `the configuration is shown without secrets`() async throws {
    try await serving(FakeControl()) { server in
      let configuration = try await server.get("/v1/configuration").json
      #expect(
        configuration == [
          "file": "/etc/chimed.yaml",
          "settings": [
            ["name": "console", "value": "true", "hidden": false, "from": "file", "line": 2],
            [
              "name": "sinks.hook.headers", "value": nil, "hidden": true, "from": "file", "line": 7,
            ],
            ["name": "hosts", "value": "-", "hidden": false, "from": "default"],
          ],
        ])
    }
  }
}
