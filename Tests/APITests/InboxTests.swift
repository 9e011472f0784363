import Access
import CivilTime
import Engine
import JSON
import Reminders
import Testing

@testable import API

/// Rule N11: the inbox of any app, under `/v1`.
@Suite(.timeLimit(.minutes(2))) struct InboxTests {
  private static let path = "/v1/recipients/me/inbox"
  private let tokens = FakeTokens()

  /// Runs a server with `count` items in the inbox of `me`, and one item in the inbox of `you`.
  private func serving(
    _ count: Int, limits: APILimits = APILimits(), origins: [PageOrigin?] = [],
    _ body: (TestServer) async throws -> Void
  ) async throws {
    let service = try LiveService("rooms", at: "2025-07-04T12:00:00.000Z")
    for number in 1...count { try await Self.add(number, to: service) }
    try await Self.add(1, of: "you", to: service)
    try await TestServer.serving(
      service, listen: TCPAddress("127.0.0.1:0"),
      access: APIAccess(tokens: tokens, origins: origins.compactMap(\.self)), limits: limits, body)
  }

  private static func add(
    _ number: Int, of recipient: String = "me", to service: LiveService
  ) async throws {
    let data: JSONValue = [
      "room": RoomsTests.room("r", "Room \(number)"), "actor": RoomsTests.pete,
    ]
    try await service.ingest("room.liked", data, of: recipient)
  }

  private func page(_ server: TestServer, _ query: String = "") async throws -> JSONValue {
    let reply = try await server.get(Self.path + query)
    #expect(reply.status == 200, "\(reply.text)")
    return try reply.json
  }

  private func ids(_ page: JSONValue) -> [String] {
    (page["items"]?.arrayValue ?? []).compactMap { $0["id"]?.stringValue }
  }

  private func counts(_ reply: Reply) throws -> [Int64?] {
    [try reply.json["unread"]?.integerValue, try reply.json["count"]?.integerValue]
  }

  private func count(_ server: TestServer) async throws -> [Int64?] {
    try counts(try await server.get(Self.path + "/count"))
  }

  // MARK: - Reading

  @Test func `N11: an item has its texts, times, state and details`() async throws {
    try await serving(1) { server in
      let page = try await page(server)
      #expect(page["recipient"] == "me" && page["zone"] == "UTC")
      #expect(page["unread"] == 1 && page["count"] == 1 && page["next"] == .null)
      let item = try #require(page["items"]?[0])
      #expect(item["category"] == "ROOM_LIKE" && item["read"] == false)
      #expect(item["body"] == "pete liked your room: Room 1")
      #expect(item["at"] == "2025-07-04T12:00:00.000Z")
      #expect(item["details"]?["actor"]?["username"] == "pete")
    }
  }

  @Test func `N11: pages continue after an item, also when new items arrive`() async throws {
    let service = try LiveService("rooms", at: "2025-07-04T12:00:00.000Z")
    for number in 1...7 { try await Self.add(number, to: service) }
    try await TestServer.serving(service) { server in
      var texts: [String] = []
      var next: String? = ""
      var pages = 0
      while let after = next {
        let page = try await page(server, "?limit=3" + (after.isEmpty ? "" : "&after=\(after)"))
        texts += (page["items"]?.arrayValue ?? []).compactMap { $0["body"]?.stringValue }
        next = page["next"]?.stringValue
        pages += 1
        try await Self.add(100 + pages, to: service)
      }
      #expect(pages == 3)
      #expect(texts == (1...7).reversed().map { "pete liked your room: Room \($0)" })
    }
  }

  @Test func `N11: a page that ends with the oldest item is the last one`() async throws {
    try await serving(4) { server in
      let first = try await page(server, "?limit=2")
      let after = try #require(first["next"]?.stringValue)
      let second = try await page(server, "?limit=2&after=\(after)")
      #expect(ids(first).count == 2 && ids(second).count == 2)
      #expect(second["next"] == .null)
    }
  }

  @Test func `N11: unread items can be listed without the others`() async throws {
    try await serving(6) { server in
      let all = ids(try await page(server))
      for id in [all[0], all[1], all[4]] {
        _ = try await server.call("POST", "\(Self.path)/\(id)/read")
      }
      let unread = try await page(server, "?unread=true")
      #expect(ids(unread) == [all[2], all[3], all[5]])
      #expect(unread["unread"] == 3 && unread["count"] == 6)
      let first = try await page(server, "?unread=true&limit=2")
      #expect(ids(first) == [all[2], all[3]])
      let after = try #require(first["next"]?.stringValue)
      let second = try await page(server, "?unread=true&limit=2&after=\(after)")
      #expect(ids(second) == [all[5]] && second["next"] == .null)
      #expect(ids(try await page(server, "?unread=false")) == all)
    }
  }

  @Test func `N11: items are counted`() async throws {
    try await serving(3) { server in
      let counts = try await count(server)
      #expect(counts == [3, 3])
    }
  }

  // MARK: - Changing

  @Test func `N11: one item is marked as read, and again without effect`() async throws {
    try await serving(3) { server in
      let all = ids(try await page(server))
      for body in [nil, "{}"] {
        let reply = try await server.call("POST", "\(Self.path)/\(all[1])/read", body: body)
        #expect(try counts(reply) == [2, 3])
      }
      let items = try await page(server)["items"]?.arrayValue ?? []
      #expect(items.map { $0["read"] } == [false, true, false])
    }
  }

  @Test func `N11: all items are marked as read`() async throws {
    try await serving(3) { server in
      let reply = try await server.call("POST", Self.path + "/read")
      #expect(try counts(reply) == [0, 3])
      #expect(ids(try await page(server, "?unread=true")).isEmpty)
    }
  }

  @Test func `N11: one item is dismissed, and only once`() async throws {
    try await serving(3) { server in
      let all = ids(try await page(server))
      let reply = try await server.call("DELETE", "\(Self.path)/\(all[1])")
      #expect(try reply.json["dismissed"] == 1)
      #expect(ids(try await page(server)) == [all[0], all[2]])
      let recent = try await server.get("/v1/recipients/me/notifications")
      #expect(try recent.json["notifications"]?.arrayValue?.count == 2)
      let again = try await server.call("DELETE", "\(Self.path)/\(all[1])")
      #expect(again.status == 404)
      #expect(try await server.call("POST", "\(Self.path)/\(all[1])/read").status == 404)
    }
  }

  @Test func `N11: the inbox is cleared, and that of others is not`() async throws {
    try await serving(3) { server in
      let reply = try await server.call("DELETE", Self.path)
      #expect(try reply.json["dismissed"] == 3)
      #expect(try await count(server) == [0, 0])
      let other = try await server.get("/v1/recipients/you/inbox/count")
      #expect(try counts(other) == [1, 1])
    }
  }

  // MARK: - Refusals

  @Test(arguments: [
    ("GET", "?limit=0", nil, 400), ("GET", "?limit=1001", nil, 400), ("GET", "?after=x", nil, 400),
    ("GET", "?after=-1", nil, 400), ("GET", "?unread=1", nil, 400), ("GET", "?page=1", nil, 400),
    ("POST", "/read", "{\"all\":true}", 422), ("POST", "/read", "[]", 400),
    ("POST", "/x/read", "{", 400), ("POST", "/x/read", nil, 404), ("DELETE", "/x", nil, 404),
    ("GET", "/x", nil, 405), ("PUT", "/read", nil, 405),
  ])
  func `an invalid request changes nothing`(
    method: String, path: String, body: String?, status: Int
  ) async throws {
    try await serving(1) { server in
      let reply = try await server.call(method, Self.path + path, body: body)
      #expect(reply.status == status, "\(reply.text)")
      #expect(try await count(server) == [1, 1])
    }
  }

  private static let routes = [
    ("GET", ""), ("GET", "/count"), ("POST", "/read"), ("POST", "/x/read"), ("DELETE", ""),
    ("DELETE", "/x"),
  ]

  @Test func `N11: an unknown recipient has no inbox`() async throws {
    try await serving(1) { server in
      for (method, path) in Self.routes {
        let reply = try await server.call(method, "/v1/recipients/nobody/inbox" + path)
        #expect(reply.status == 404, "\(method) \(path)")
        #expect(try reply.json["type"] == "urn:chimed:problem:unknown-recipient")
      }
    }
  }

  // MARK: - Access

  @Test func `N11: a recipient uses their own inbox and no other`() async throws {
    try await serving(1) { server in
      let (ownToken, otherToken) = (tokens.make(.recipient("me")), tokens.make(.recipient("you")))
      let id = ids(try await page(server))[0]
      for (method, path) in [
        ("GET", ""), ("GET", "/count"), ("POST", "/\(id)/read"), ("DELETE", ""),
      ] {
        for (token, status) in [(otherToken, 403), (ownToken, 200)] {
          let reply = try await server.call(
            method, Self.path + path, headers: ["authorization": "Bearer \(token)"])
          #expect(reply.status == status, "\(method) \(path)")
        }
      }
    }
  }

  @Test func `N11: an item of another recipient is neither read nor dismissed`() async throws {
    try await serving(1) { server in
      let theirs = try await server.get("/v1/recipients/you/inbox").json
      let id = ids(theirs)[0]
      for (method, path) in [("POST", "/\(id)/read"), ("DELETE", "/\(id)")] {
        let headers = ["authorization": "Bearer \(tokens.make(.recipient("me")))"]
        #expect(try await server.call(method, Self.path + path, headers: headers).status == 404)
      }
      let left = try await server.get("/v1/recipients/you/inbox/count")
      #expect(try counts(left) == [1, 1])
    }
  }

  @Test func `N11: observers, apps that report and invalid tokens get nothing`() async throws {
    let aMinuteAgo = Fixtures.now - .minutes(1)
    let valid = tokens.make(.recipient("me"))
    let forged = valid.dropLast() + (valid.hasSuffix("a") ? "b" : "a")
    let refused = [
      (tokens.make(.observer), 403), (tokens.make(.report(.unlimited)), 403),
      (String(forged), 401), (FakeTokens().make(.recipient("me")), 401),
      (tokens.make(.recipient("me"), expiry: aMinuteAgo), 401),
      (tokens.make(.recipient("me"), revoked: aMinuteAgo), 401),
    ]
    try await serving(1) { server in
      for (method, path) in Self.routes {
        for (token, status) in refused {
          let reply = try await server.call(
            method, Self.path + path, headers: ["authorization": "Bearer \(token)"])
          #expect(reply.status == status, "\(method) \(path)")
          #expect(!reply.text.contains("pete"))
        }
      }
      #expect(try await count(server) == [1, 1])
    }
  }

  @Test func `H11: support sees no texts and no details before a request for them`() async throws {
    try await serving(1) { server in
      let support = tokens.make(.support)
      let hidden = try await server.get(Self.path, bearing: support)
      #expect(hidden.status == 200 && !hidden.text.contains("pete"))
      #expect(try hidden.json["items"]?[0]?["details"] == nil)
      let headers = ["authorization": "Bearer \(support)"]
      _ = try await server.call("POST", "/v1/recipients/me/text-views", headers: headers)
      #expect(try await server.get(Self.path, bearing: support).text.contains("pete"))
    }
  }

  @Test func `H18: pages of configured origins use the inbox with a recipient's token`()
    async throws
  {
    let app = "https://app.example"
    try await serving(1, origins: [PageOrigin(app)]) { server in
      let fields = ["origin": app, "sec-fetch-site": "cross-site"]
      let preflights = [
        ("", "GET", "GET, DELETE"), ("/x", "DELETE", "DELETE"), ("/x/read", "POST", "POST"),
        ("/read", "POST", "POST"), ("/count", "GET", "GET"),
      ]
      for (path, method, methods) in preflights {
        let preflight = fields.merging(["access-control-request-method": method]) { $1 }
        let reply = try await server.perform(
          "OPTIONS", Self.path + path, headers: preflight, isOverTCP: true)
        #expect(reply.status == 204)
        #expect(reply["access-control-allow-methods"] == methods, "\(path)")
        #expect(reply["access-control-allow-origin"] == app)
      }
      for (scope, status) in [(AccessScope.recipient("me"), 200), (.administrator, 403)] {
        let bearer = ["authorization": "Bearer \(tokens.make(scope))"]
        let reply = try await server.perform(
          "POST", Self.path + "/read", headers: fields.merging(bearer) { $1 }, isOverTCP: true)
        #expect(reply.status == status)
      }
    }
  }

  @Test func `H15: changes of an inbox count towards the recipient's limit`() async throws {
    var limits = APILimits()
    limits.recipientEvents = 2
    try await serving(1, limits: limits) { server in
      let headers = ["authorization": "Bearer \(tokens.make(.recipient("me")))"]
      var statuses: [Int] = []
      for _ in 0..<3 {
        statuses.append(try await server.call("POST", Self.path + "/read", headers: headers).status)
      }
      #expect(statuses == [200, 200, 429])
    }
  }

  // MARK: - The interfaces of apps

  @Test(
    arguments: [
      ([], [404, 404]), ([.urbannest], [200, 404]), ([.rooms], [404, 200]),
      ([.urbannest, .rooms], [200, 200]),
    ] as [([AppInterface], [Int])])
  func `H21: only the configured interfaces are served and described`(
    interfaces: [AppInterface], statuses: [Int]
  ) async throws {
    try await TestServer.serving(
      FakeService(Fixtures.urbannest), interfaces: Set(interfaces)
    ) { server in
      let paths = ["/customers/me/notification-preferences", "/api/notifications?recipient=me"]
      var found: [Int] = []
      for path in paths { found.append(try await server.get(path).status) }
      #expect(found == statuses)
      let described = try await server.get("/openapi.json").json["paths"]?.objectValue ?? [:]
      let isDescribed = ["/customers/", "/api/"].map { prefix in
        described.contains { $0.key.hasPrefix(prefix) }
      }
      #expect(isDescribed == statuses.map { $0 == 200 })
      #expect(described["/v1/recipients/{recipient}/inbox"] != nil)
    }
  }
}
