import API
import Access
import JSON
import Synchronization
import Testing

/// The rate of requests is limited, so that no token can exhaust the service.
@Suite struct RateTests {
  private static let path = "/api/notifications/unread-count"

  @Test func `a caller beyond its rate is answered 429 with Retry-After`() async throws {
    let tokens = FakeTokens()
    let time = VirtualClock()
    var limits = APILimits()
    limits.rate = 2
    limits.burst = 3
    try await TestServer.serving(
      FakeService(), access: APIAccess(tokens: tokens), limits: limits, clock: time.read
    ) { server in
      let (limited, other) = (tokens.make(.recipient("amina")), tokens.make(.recipient("badr")))
      for _ in 0..<3 { #expect(try await server.get(Self.path, bearing: limited).status == 200) }
      let refused = try await server.get(Self.path, bearing: limited)
      #expect(refused.status == 429)
      #expect(refused["retry-after"] == "1")
      #expect(try refused.json["type"] == "urn:chimed:problem:too-many-requests")
      #expect(try await server.get(Self.path, bearing: other).status == 200)
      #expect(try await server.get("/v1/status").status == 200)
      time.advance(by: .milliseconds(500))
      #expect(try await server.get(Self.path, bearing: limited).status == 200)
      #expect(try await server.get(Self.path, bearing: limited).status == 429)
    }
  }

  @Test func `many invalid tokens from one address are answered 429`() async throws {
    let tokens = FakeTokens()
    let time = VirtualClock()
    var limits = APILimits()
    limits.failureRate = 1
    limits.failureBurst = 3
    try await TestServer.serving(
      FakeService(), listen: TCPAddress("127.0.0.1:0"), access: APIAccess(tokens: tokens),
      limits: limits, clock: time.read
    ) { server in
      func get(_ token: String?, isOverTCP: Bool = true) async throws -> Reply {
        try await server.call(
          "GET", Self.path, headers: token.map { ["authorization": "Bearer \($0)"] } ?? [:],
          isOverTCP: isOverTCP)
      }
      let unknown = FakeTokens().make(.recipient("amina"))
      for _ in 0..<3 { #expect(try await get(unknown).status == 401) }
      let refused = try await get(unknown)
      #expect(refused.status == 429)
      #expect(refused["retry-after"] == "1")
      // Valid tokens, requests without a token and Unix peers are not affected by that limit.
      #expect(try await get(tokens.make(.recipient("amina"))).status == 200)
      #expect(try await get(nil).status == 401)
      #expect(try await get(unknown, isOverTCP: false).status == 401)
      #expect(try await server.get("/v1/status").status == 200)
      time.advance(by: .seconds(1))
      #expect(try await get(unknown).status == 401)
      #expect(try await get(unknown).status == 429)
    }
  }

  @Test func `invalid tokens and tickets of one address share a limit`() async throws {
    let tokens = FakeTokens()
    var limits = APILimits()
    (limits.failureRate, limits.failureBurst) = (1, 3)
    try await TestServer.serving(
      FakeService(), listen: TCPAddress("127.0.0.1:0"),
      access: APIAccess(tokens: tokens, console: ConsoleSettings()), limits: limits,
      clock: VirtualClock().read
    ) { server in
      let headers = ["authorization": "Bearer \(FakeTokens().make(.recipient("amina")))"]
      func get() async throws -> Int {
        try await server.call("GET", Self.path, headers: headers, isOverTCP: true).status
      }
      func post() async throws -> Int {
        try await server.call(
          "POST", "/v1/console/session", headers: ["content-type": "application/json"],
          body: #"{"ticket":"chimed_none"}"#, isOverTCP: true
        ).status
      }
      let invalid = [try await get(), try await post(), try await get()]
      #expect(invalid == [401, 404, 401])
      let refused = [try await get(), try await post()]
      #expect(refused == [429, 429])
    }
  }

  @Test func `administrators have no rate limit`() async throws {
    var limits = APILimits()
    limits.rate = 1
    limits.burst = 1
    let tokens = FakeTokens()
    let token = tokens.make(.administrator)
    try await TestServer.serving(
      FakeService(), access: APIAccess(tokens: tokens), limits: limits
    ) { server in
      for _ in 0..<20 {
        let replies = [
          try await server.get("/v1/status"), try await server.get("/v1/status", bearing: token),
        ]
        #expect(replies.map(\.status) == [200, 200])
      }
    }
  }
}

/// A clock that moves only when advanced.
private final class VirtualClock: Sendable {
  private let time = Mutex(ContinuousClock.now)

  @Sendable func read() -> ContinuousClock.Instant { time.withLock(\.self) }

  func advance(by span: Duration) {
    time.withLock { $0 += span }
  }
}
