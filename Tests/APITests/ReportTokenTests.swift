import Access
import CivilTime
import HTTPTypes
import JSON
import Reminders
import Synchronization
import Testing

@testable import API

/// A token with the scope `report` sends events and does nothing else (rule H19).
@Suite struct ReportTokenTests {
  private final class FakeAudit: AuditLog {
    private let recorded = Mutex<[AuditEntry]>([])
    var entries: [AuditEntry] { recorded.withLock(\.self) }

    func record(_ entry: AuditEntry) { recorded.withLock { $0.append(entry) } }
  }

  private let tokens = FakeTokens()
  private let audit = FakeAudit()

  private func serving(_ body: (TestServer, FakeService) async throws -> Void) async throws {
    let service = try FakeService()
    try await TestServer.serving(
      service, access: APIAccess(tokens: tokens, audit: audit), control: FakeControl()
    ) { try await body($0, service) }
  }

  private func token(
    types: [String] = [], source: String? = nil, expiry: Instant? = nil, revoked: Instant? = nil
  ) throws -> String {
    let grant = try #require(ReportGrant(types: types, source: source))
    return tokens.make(.report(grant), expiry: expiry, revoked: revoked)
  }

  private func send(
    _ body: String, as type: String = "application/json", _ token: String, to server: TestServer
  ) async throws -> Reply {
    try await server.call(
      "POST", "/v1/events", headers: ["authorization": "Bearer \(token)", "content-type": type],
      body: body)
  }

  private static func event(
    _ id: String, _ type: String = "checkin.completed", source: String = "test"
  ) -> String {
    Fixtures.event(id, type: type).replacing("\"test\"", with: "\"\(source)\"")
  }

  @Test func `H19: a token without types and source reports events of all recipients`() async throws
  {
    try await serving { server, service in
      let token = try token()
      for (id, name) in [("e1", "u1"), ("e2", "u2")] {
        let reply = try await send(Fixtures.event(id, of: name), token, to: server)
        #expect(reply.status == 202)
      }
      #expect(service.events.map(\.recipient) == ["u1", "u2"])
      #expect(service.events.map(\.source) == ["test", "test"])
      #expect(audit.entries.isEmpty)
    }
  }

  @Test func `H19: an event of another type is a 403 that names the scope and the type`()
    async throws
  {
    try await serving { server, service in
      let token = try token(types: ["checkin.completed", "vacation.ended"])
      #expect(try await send(Self.event("e1"), token, to: server).status == 202)
      let reply = try await send(Self.event("e2", "relapse"), token, to: server)
      #expect(reply.status == 403)
      #expect(try reply.json["type"] == "urn:chimed:problem:foreign-event")
      #expect(try reply.json["path"] == "type")
      let detail = try reply.json["detail"]?.stringValue ?? ""
      #expect(detail.contains("the scope report for checkin.completed, vacation.ended"))
      #expect(detail.contains("the type \"relapse\""))
      #expect(service.groups == [["e1"]])
    }
  }

  @Test func `H19: an event of another source is a 403 that names the source`() async throws {
    try await serving { server, service in
      let token = try token(source: "shop")
      #expect(try await send(Self.event("e1", source: "shop"), token, to: server).status == 202)
      for source in ["Shop", "shop/", "test"] {
        let reply = try await send(Self.event("e2", source: source), token, to: server)
        #expect(reply.status == 403)
        #expect(try reply.json["path"] == "source")
        let detail = try reply.json["detail"]?.stringValue ?? ""
        #expect(detail.contains("the source \"shop\"") && detail.contains("\"\(source)\""))
      }
      #expect(service.groups == [["e1"]])
    }
  }

  @Test(arguments: ["application/json", "application/x-ndjson"])
  func `H19: an event that a token may not report is refused alone`(type: String) async throws {
    try await serving { server, service in
      let token = try token(types: ["checkin.completed"], source: "test")
      let events = [
        Self.event("e1"), Self.event("e2", "relapse"), Self.event("e3", source: "other"),
        Self.event("e4"),
      ]
      let isBatch = type == "application/json"
      let body = isBatch ? "[\(events.joined(separator: ","))]" : events.joined(separator: "\n")
      let reply = try await send(body, as: type, token, to: server)
      #expect(reply.status == (isBatch ? 207 : 200))
      let items = isBatch ? try reply.json["items"]?.arrayValue ?? [] : try reply.lines
      #expect(items.map { $0["status"] } == ["accepted", "refused", "refused", "accepted"])
      #expect(items.compactMap { $0["problem"]?["status"]?.integerValue } == [403, 403])
      #expect(items.compactMap { $0["problem"]?["path"]?.stringValue } == ["type", "source"])
      #expect(service.groups == [["e1", "e4"]])
    }
  }

  @Test func `H19: only a token that lists the type erases a recipient by an event`() async throws {
    try await serving { server, service in
      let erasure = Self.event("gone", "recipient.deleted")
      let refused = try await send(erasure, try token(), to: server)
      #expect(refused.status == 403)
      let detail = try refused.json["detail"]?.stringValue ?? ""
      #expect(detail.contains("every type except recipient.deleted"))
      #expect(service.groups.isEmpty && audit.entries.isEmpty)
      let listed = try token(types: ["recipient.deleted"])
      #expect(try await send(erasure, listed, to: server).status == 202)
      #expect(audit.entries.map(\.action) == ["erase"])
      #expect(audit.entries.first?.actor.contains("report types=recipient.deleted") == true)
    }
  }

  @Test func `H19: other requests with a report token are a 403 that names the scope`() async throws
  {
    try await serving { server, _ in
      let token = try token(types: ["checkin.completed"])
      let routes = server.routes.filter { route in
        if case .everyone = route.answer { return false }
        return !route.acceptsEvents
      }
      #expect(routes.count > 40)
      for route in routes {
        let path = route.template.replacing(/\{[a-zA-Z]+\}/, with: "u1")
        let reply = try await server.perform(
          route.method.rawValue, path, headers: ["authorization": "Bearer \(token)"])
        #expect(reply.status == 403, "\(route.method) \(path): \(reply.text)")
        #expect(reply.text.contains("scope report"), "\(route.method) \(path): \(reply.text)")
      }
    }
  }

  @Test func `H19: forged, expired, revoked and foreign tokens report nothing`() async throws {
    try await serving { server, service in
      let aMinuteAgo = Fixtures.now - .minutes(1)
      let valid = try token()
      let forged = valid.dropLast() + (valid.hasSuffix("a") ? "b" : "a")
      let invalid = [
        String(forged), try token(expiry: aMinuteAgo), try token(revoked: aMinuteAgo),
        FakeTokens().make(.report(.unlimited)),
      ]
      for token in invalid {
        #expect(try await send(Self.event("e1"), token, to: server).status == 401)
      }
      #expect(service.groups.isEmpty)
    }
  }

  @Test func `H19: a report token has no rate limit`() async throws {
    var limits = APILimits()
    (limits.rate, limits.burst) = (1, 1)
    try await TestServer.serving(
      FakeService(), access: APIAccess(tokens: tokens), limits: limits
    ) { server in
      let token = try token()
      // Requests with lines pass through the rate limiter.
      for number in 0..<5 {
        let line = Self.event("e\(number)")
        let reply = try await send(line, as: "application/x-ndjson", token, to: server)
        #expect(reply.status == 200)
      }
    }
  }

  @Test func `H18: a page of another site gets nothing with a report token`() async throws {
    try await TestServer.serving(
      FakeService(),
      access: APIAccess(
        tokens: tokens, origins: [PageOrigin("https://app.example")].compactMap(\.self))
    ) { server in
      let reply = try await server.perform(
        "POST", "/v1/events",
        headers: [
          "authorization": "Bearer \(try token())", "content-type": "application/json",
          "origin": "https://app.example", "sec-fetch-site": "cross-site",
        ], body: Self.event("e1"))
      #expect(reply.status == 403)
    }
  }

  @Test func `H10: a session of the console cannot have the scope report`() async throws {
    try await serving { server, _ in
      let reply = try await server.post(#"{"scope":"report"}"#, to: "/v1/console/tickets")
      #expect(reply.status == 422)
      #expect(try reply.json["path"] == "scope")
    }
  }
}
