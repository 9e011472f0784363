import Access
import CivilTime
import JSON
import Reminders
import Synchronization
import Testing

@testable import API

/// How a browser gets access to the console (rules H1, H5).
@Suite(.timeLimit(.minutes(1))) struct ConsoleAccessTests {
  /// A clock that only the tests advance.
  private final class Clock: Sendable {
    private let elapsed = Mutex(Duration.zero)
    private let start = ContinuousClock.now
    var now: ContinuousClock.Instant { start + elapsed.withLock(\.self) }
    func advance(by span: Duration) { elapsed.withLock { $0 += span } }
  }

  private final class FakeAudit: AuditLog {
    private let recorded = Mutex<[AuditEntry]>([])
    var entries: [AuditEntry] { recorded.withLock(\.self) }
    func record(_ entry: AuditEntry) { recorded.withLock { $0.append(entry) } }
  }

  private let tokens = FakeTokens()
  private let audit = FakeAudit()
  private let clock = Clock()

  private func serving(_ body: (TestServer) async throws -> Void) async throws {
    let service = try FakeService()
    service.set { $0.recipients["u1"] = Recipient(name: "u1", now: Fixtures.now) }
    try await TestServer.serving(
      service, listen: TCPAddress("127.0.0.1:0"), access: APIAccess(tokens: tokens, audit: audit),
      clock: { [clock] in clock.now }, body)
  }

  private func ticket(_ server: TestServer, _ scope: String) async throws -> String {
    let reply = try await server.post(#"{"scope":"\#(scope)"}"#, to: "/v1/console/tickets")
    #expect(reply.status == 201)
    #expect(reply["cache-control"] == "no-store")
    let path = try #require(try reply.json["path"]?.stringValue)
    #expect(try reply.json["url"]?.stringValue == "http://\(server.address)\(path)")
    let parts = path.trimmingPrefix("/console/#t=").split(separator: "/")
    #expect(parts.dropFirst() == (scope.hasPrefix("recipient:") ? ["me"] : []))
    return String(try #require(parts.first))
  }

  private func open(_ server: TestServer, with ticket: String) async throws -> Reply {
    try await server.call(
      "POST", "/v1/console/session", headers: ["content-type": "application/json"],
      body: #"{"ticket":"\#(ticket)"}"#, isOverTCP: true)
  }

  @Test(arguments: ["admin", "support", "observer", "recipient:u1"])
  func `H5: a console ticket becomes a token for twelve hours`(scope: String) async throws {
    try await serving { server in
      let reply = try await open(server, with: ticket(server, scope))
      #expect(reply.status == 201)
      let document = try reply.json
      #expect(document["scope"]?.stringValue == scope)
      #expect(document["expires"]?.stringValue == (Fixtures.now + .hours(12)).description)
      let token = try #require(document["token"]?.stringValue)
      let session = try await server.get("/v1/console/session", bearing: token).json
      #expect(session["scope"]?.stringValue == scope)
      #expect(session["recipient"]?.stringValue == (scope == "recipient:u1" ? "u1" : nil))
      let list = try await server.get("/v1/tokens").json["tokens"]?.arrayValue
      #expect(list?.first?["name"]?.stringValue?.hasPrefix("console of user ") == true)
      #expect(audit.entries.map(\.action) == ["createConsoleTicket", "openConsole"])
      #expect(audit.entries.allSatisfy { $0.subject?.contains(scope) == true })
    }
  }

  @Test func `a console ticket is good once and for one minute`() async throws {
    try await serving { server in
      let used = try await ticket(server, "admin")
      #expect(try await open(server, with: used).status == 201)
      #expect(try await open(server, with: used).status == 404)
      let old = try await ticket(server, "admin")
      clock.advance(by: .seconds(60))
      #expect(try await open(server, with: old).status == 404)
      #expect(try await open(server, with: "nonsense").status == 404)
      #expect(tokens.tokens.count == 1)
    }
  }

  @Test func `a caller with a bearer token gets no console ticket`() async throws {
    try await serving { server in
      let headers = ["authorization": "Bearer \(tokens.make(.administrator))"]
      for isOverTCP in [false, true] {
        let reply = try await server.call(
          "POST", "/v1/console/tickets", headers: headers, body: "{}", isOverTCP: isOverTCP)
        #expect(reply.status == 403)
      }
      let wrong = try await server.post(#"{"scope":"root"}"#, to: "/v1/console/tickets")
      #expect(wrong.status == 422)
    }
  }

  @Test func `signing out revokes only the session's own token`() async throws {
    try await serving { server in
      let token = try await open(server, with: ticket(server, "support")).json["token"]?.stringValue
      let headers = ["authorization": "Bearer \(try #require(token))"]
      let other = tokens.make(.support)
      #expect(
        try await server.call("DELETE", "/v1/console/session", headers: headers).status == 204)
      #expect(
        try await server.call("GET", "/v1/console/session", headers: headers).status == 401)
      #expect(try await server.get("/v1/console/session", bearing: other).status == 200)
      #expect(try await server.call("DELETE", "/v1/console/session").status == 404)
    }
  }

  @Test func `H5: reading a text is logged with the reader`() async throws {
    try await serving { server in
      let path = "/v1/recipients/u1/text-views"
      let support = ["authorization": "Bearer \(tokens.make(.support))"]
      #expect(try await server.call("POST", path, headers: support).status == 204)
      let entry = try #require(audit.entries.first)
      #expect(entry.action == "noteTextView" && entry.recipient == "u1")
      let headers = ["authorization": "Bearer \(tokens.make(.recipient("u1")))"]
      #expect(try await server.call("POST", path, headers: headers).status == 403)
    }
  }

  @Test(arguments: [
    ("127.0.0.1:7411", "127.0.0.1:7411"), ("0.0.0.0:7411", "127.0.0.1:7411"),
    ("[::]:7411", "[::1]:7411"), ("192.0.2.1:80", "192.0.2.1:80"),
  ])
  func `a listener on every interface is reached by the loopback address`(
    address: String, reached: String
  ) {
    #expect(ListeningAddresses.reachable(address) == reached)
  }

  @Test(
    arguments: [
      (["/run/chimed/socket"], nil), (["a/socket"], nil), (["7411"], nil), (["./127.0.0.1:1"], nil),
      (["a/socket", "0.0.0.0:7411"], "http://127.0.0.1:7411"),
      (["[::1]:7411"], "http://[::1]:7411"),
    ] as [([String], String?)])
  func `the console's URL names a TCP listener, never a socket file`(
    addresses: [String], origin: String?
  ) {
    let listening = ListeningAddresses()
    listening.set(addresses)
    #expect(listening.origin == origin)
  }
}

/// Support sees a recipient's texts only after it has requested them (rule H5).
@Suite(.timeLimit(.minutes(1))) struct TextTests {
  private let tokens = FakeTokens()

  @Test func `H5: support sees no text until it has requested the text`() async throws {
    let service = try LiveService("imanpath", at: "2026-03-02T02:00:00Z")
    try await service.ingest("lesson.completed", ["day": 1], of: "u1")
    try await service.ingest("lesson.completed", ["day": 1], of: "u2")
    let support = tokens.make(.support)
    let paths = ["pending", "ahead", "scheduled", "notifications", "projection", "events"]
    let text = "Continue building"
    try await TestServer.serving(service, access: APIAccess(tokens: tokens)) { server in
      func shown(_ recipient: String, to token: String) async throws -> [Bool] {
        var isShown: [Bool] = []
        for path in paths {
          let reply = try await server.get("/v1/recipients/\(recipient)/\(path)", bearing: token)
          #expect(reply.status == 200, "\(path): \(reply.text)")
          isShown.append(reply.text.contains(text) || reply.text.contains(#""data":{"day":1}"#))
        }
        return isShown
      }
      let everything = try await shown("u1", to: tokens.make(.administrator))
      #expect(everything.contains(true))
      #expect(try await shown("u1", to: support).allSatisfy { !$0 })
      let export = "/v1/recipients/u1/export"
      #expect(try await server.get(export, bearing: support).status == 403)
      let headers = ["authorization": "Bearer \(support)"]
      let textView = try await server.call("POST", "/v1/recipients/u1/text-views", headers: headers)
      #expect(textView.status == 204)
      #expect(try await shown("u1", to: support) == everything)
      #expect(try await server.get(export, bearing: support).status == 200)
      // Texts of other recipients stay hidden, and other callers do not see this recipient's texts.
      #expect(try await shown("u2", to: support).allSatisfy { !$0 })
      #expect(try await shown("u1", to: tokens.make(.support)).allSatisfy { !$0 })
      #expect(try await shown("u2", to: tokens.make(.recipient("u2"))) == everything)
    }
  }

  /// Returns the number of notifications in the reply to a GET request.
  private func count(
    _ path: String, _ token: String, _ server: TestServer
  ) async throws -> Int? {
    try await server.get(path, bearing: token).json["notifications"]?.arrayValue?.count
  }

  @Test func `H5: hidden texts are not searched`() async throws {
    let service = try LiveService("rooms", at: "2025-07-04T12:00:00Z")
    let data: JSONValue = [
      "room": RoomsTests.room("room-789", "Italy"), "actor": RoomsTests.actor("p", "pete", "Pete"),
    ]
    try await service.ingest("room.liked", data, of: "u1")
    let (support, administrator) = (tokens.make(.support), tokens.make(.administrator))
    let path = "/v1/recipients/u1/notifications"
    try await TestServer.serving(service, access: APIAccess(tokens: tokens)) { server in
      let title = try await server.get(path, bearing: support).json["notifications"]?[0]?["title"]
      let word = try #require(title?.stringValue?.split(separator: " ").first)
      for part in ["", "&part=all", "&part=all&outcome=any"] {
        #expect(try await count(path + "?q=pete\(part)", support, server) == 0)
        #expect(try await count(path + "?q=\(word)\(part)", support, server) == 1)
        #expect(try await count(path + "?q=pete\(part)", administrator, server) == 1)
      }
      let inbox = try await server.get("/api/notifications?recipient=u1", bearing: support)
      let items = try inbox.json["data"]?.arrayValue
      #expect(items?.count == 1 && !inbox.text.contains("pete"))
      let headers = ["authorization": "Bearer \(support)"]
      _ = try await server.call("POST", "/v1/recipients/u1/text-views", headers: headers)
      #expect(try await count(path + "?q=pete", support, server) == 1)
    }
  }
}
