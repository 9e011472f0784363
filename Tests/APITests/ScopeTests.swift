import Access
import CivilTime
import JSON
import Reminders
import Synchronization
import Testing

@testable import API

/// The permissions of each scope, and the audit log of changes (rule H5).
@Suite struct ScopeTests {
  private final class FakeAudit: AuditLog {
    private let recorded = Mutex<[AuditEntry]>([])
    var entries: [AuditEntry] { recorded.withLock(\.self) }

    func record(_ entry: AuditEntry) { recorded.withLock { $0.append(entry) } }
  }

  private final class FakeControl: ServiceControl {
    func reload() async throws(ReloadError) -> ReloadReport { ReloadReport() }
    var logLevel: LogLevel { .info }
    func setLogLevel(_ level: LogLevel) {}
  }

  private let tokens = FakeTokens()
  private let audit = FakeAudit()

  private func serving(_ body: (TestServer) async throws -> Void) async throws {
    let service = try FakeService()
    service.set { $0.recipients["u1"] = Recipient(name: "u1", now: Fixtures.now) }
    try await TestServer.serving(
      service, access: APIAccess(tokens: tokens, audit: audit), control: FakeControl(), body)
  }

  private func call(
    _ server: TestServer, _ method: String, _ path: String, _ token: String, _ body: String? = nil
  ) async throws -> Reply {
    try await server.call(
      method, path,
      headers: ["authorization": "Bearer \(token)", "content-type": "application/json"],
      body: body)
  }

  private func erasure(of recipient: String) -> String {
    """
    {"specversion":"1.0","id":"gone","source":"app","type":"recipient.deleted",\
    "subject":"\(recipient)"}
    """
  }

  // MARK: - Permissions

  private static let serviceRoutes = [
    ("GET", "/v1/status"), ("GET", "/metrics"), ("GET", "/v1/log-level"), ("GET", "/v1/catalog"),
    ("GET", "/v1/forecast"), ("GET", "/v1/catalogs"),
    ("GET", "/v1/analytics?from=2026-03-01&to=2026-03-02"),
  ]
  private static let recipientRoutes = [
    ("GET", "/v1/recipients"), ("GET", "/v1/recipients/u1/preferences"),
    ("POST", "/v1/recipients/u1/text-views"), ("GET", "/v1/recipients/u1/export"),
    ("PATCH", "/v1/recipients/u1/preferences"),
    ("POST", "/v1/events"),
  ]
  private static let administrativeRoutes = [
    ("POST", "/v1/reload"), ("PUT", "/v1/log-level"), ("DELETE", "/v1/recipients/u1"),
    ("GET", "/v1/backup"), ("GET", "/v1/tokens"), ("POST", "/v1/tokens"),
    ("POST", "/v1/backup-tickets"), ("GET", "/v1/configuration"),
    ("POST", "/v1/sinks/log/test"),
  ]

  private func body(of path: String) -> String? {
    switch path {
    case "/v1/events": Fixtures.event("e")
    case "/v1/recipients/u1/preferences": #"{"master":false}"#
    case "/v1/log-level": #"{"level":"error"}"#
    default: nil
    }
  }

  @Test func `H5: an observer sees the state of the service but no recipient`() async throws {
    try await serving { server in
      let token = tokens.make(.observer)
      for (method, path) in Self.serviceRoutes {
        #expect(try await call(server, method, path, token).status == 200, "\(path)")
      }
      for (method, path) in Self.recipientRoutes + Self.administrativeRoutes {
        let body = method == "GET" ? nil : body(of: path)
        let reply = try await call(server, method, path, token, body)
        #expect(reply.status == 403, "\(method) \(path)")
        let detail = try reply.json["detail"]?.stringValue ?? ""
        let reason = "your token has the scope observer, but this needs a token with the"
        #expect(detail.contains(reason))
      }
    }
  }

  @Test func `H5: support can help recipients but not run the service`() async throws {
    try await serving { server in
      let token = tokens.make(.support)
      for (method, path) in Self.serviceRoutes + Self.recipientRoutes {
        let body = method == "GET" ? nil : body(of: path)
        let reply = try await call(server, method, path, token, body)
        #expect([200, 202, 204].contains(reply.status), "\(method) \(path): \(reply.text)")
      }
      for (method, path) in Self.administrativeRoutes {
        let body = method == "GET" ? nil : body(of: path)
        let reply = try await call(server, method, path, token, body)
        #expect(reply.status == 403, "\(method) \(path)")
        #expect(
          try reply.json["detail"]?.stringValue?.contains("a token with the scope admin, or")
            == true)
      }
    }
  }

  /// An event of the type `recipient.deleted` erases a recipient, as the route does.
  @Test func `H5: support cannot erase a recipient by an event`() async throws {
    try await serving { server in
      let token = tokens.make(.support)
      let one = try await call(server, "POST", "/v1/events", token, erasure(of: "u1"))
      #expect(one.status == 403)
      #expect(try one.json["path"] == "type")
      let batch = try await call(server, "POST", "/v1/events", token, "[\(erasure(of: "u1"))]")
      #expect(try batch.json["refused"] == 1)
      #expect(audit.entries.allSatisfy { $0.action == "sendEvents" })
    }
  }

  @Test func `H5: each operation names its scopes`() async throws {
    try await serving { server in
      let paths = try await server.get("/openapi.json").json["paths"]
      func scopes(_ path: String, _ method: String) -> [String] {
        (paths?[path]?[method]?["security"]?.arrayValue ?? []).compactMap {
          $0["bearer"]?.arrayValue?.first?.stringValue
        }
      }
      #expect(scopes("/v1/backup", "get") == ["admin"])
      #expect(scopes("/v1/recipients/{recipient}/test", "post") == ["admin", "support"])
      #expect(scopes("/v1/status", "get") == ["admin", "support", "observer"])
      for path in ["/v1/events", "/v1/imports/icalendar"] {
        #expect(scopes(path, "post") == ["admin", "support", "report", "recipient"])
      }
      #expect(scopes("/v1/push-key", "get") == ["admin", "support", "recipient"])
      #expect(scopes("/healthz", "get") == [])
    }
  }

  // MARK: - The audit log

  @Test func `H5: a change is logged with its author`() async throws {
    try await serving { server in
      let support = tokens.make(.support)
      let name = "token \(tokens.tokens[0].identifier) \"support\""
      let path = "/v1/recipients/u1/preferences"
      _ = try await call(server, "PATCH", path, support, #"{"master":false}"#)
      _ = try await call(server, "PATCH", path + "?dryRun=true", support, #"{"master":true}"#)
      _ = try await call(server, "PATCH", path, support, #"{"mastery":true}"#)
      _ = try await call(server, "GET", path, support)
      _ = try await call(server, "POST", "/v1/events", support, Fixtures.event("e"))
      #expect(
        audit.entries == [
          AuditEntry(actor: name, action: "changePreferences", recipient: "u1"),
          AuditEntry(actor: name, action: "sendEvents"),
        ])
    }
  }

  @Test func `H5: tokens, erasures, reloads and log levels are logged`() async throws {
    try await serving { server in
      let user = "user \(LocalAuthority.ofThisProcess.user)"
      let creation = try await server.post(#"{"name":"desk","scope":"support"}"#, to: "/v1/tokens")
      let id = try #require(try creation.json["id"]?.stringValue)
      _ = try await server.call("DELETE", "/v1/tokens/\(id)")
      _ = try await server.call("POST", "/v1/reload")
      _ = try await server.call(
        "PUT", "/v1/log-level", headers: ["content-type": "application/json"],
        body: #"{"level":"error"}"#)
      _ = try await server.call("DELETE", "/v1/recipients/u1")
      #expect(
        audit.entries == [
          AuditEntry(
            actor: user, action: "createToken",
            subject: "\(id) \"desk\", support, until \(Fixtures.now + TimeSpan.days(30))"),
          AuditEntry(actor: user, action: "revokeToken", subject: "\(id) \"desk\", support"),
          AuditEntry(actor: user, action: "reload"),
          AuditEntry(actor: user, action: "setLogLevel", subject: "error, which was info"),
          AuditEntry(actor: user, action: "erase", recipient: "u1"),
        ])
      let secret = try #require(try creation.json["token"]?.stringValue)
      #expect(!audit.entries.contains { $0.subject?.contains(secret.suffix(52)) == true })
    }
  }

  @Test func `H5: a token that never expires is logged as such`() async throws {
    try await serving { server in
      let creation = try await server.post(
        #"{"name":"desk","scope":"support","for":"never"}"#, to: "/v1/tokens")
      let id = try #require(try creation.json["id"]?.stringValue)
      #expect(audit.entries.map(\.subject) == ["\(id) \"desk\", support, never expires"])
    }
  }

  @Test(arguments: ["application/json", "application/x-ndjson"])
  func `H5: an erasure by an event is logged once`(type: String) async throws {
    try await serving { server in
      for _ in 0..<2 {
        let reply = try await server.post(erasure(of: "u1") + "\n", as: type)
        #expect([200, 202].contains(reply.status))
      }
      _ = try await server.post(Fixtures.event("e"))
      #expect(audit.entries.map(\.action) == ["erase"])
      #expect(audit.entries.first?.recipient == "u1")
    }
  }

  @Test func `H5: recipients' own changes are not logged`() async throws {
    try await serving { server in
      let userToken = tokens.make(.recipient("u1"))
      let path = "/v1/recipients/u1/preferences"
      let reply = try await call(server, "PATCH", path, userToken, #"{"master":false}"#)
      #expect(reply.status == 200)
      #expect(audit.entries.isEmpty)
    }
  }
}
