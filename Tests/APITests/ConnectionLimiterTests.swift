import Access
import Glibc
import JSON
import Testing

@testable import API

/// Rule H6: a client with many connections does not keep other clients out.
@Suite(.timeLimit(.minutes(1))) struct ConnectionLimiterTests {
  private static let healthz = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"

  private func serving(
    _ limits: APILimits, _ body: (TestServer) async throws -> Void
  ) async throws {
    try await TestServer.serving(
      FakeService(), listen: TCPAddress("127.0.0.1:0"), access: APIAccess(tokens: FakeTokens()),
      limits: limits, body)
  }

  /// At most eight connections, at most four of one client, and timeouts of an hour.
  private var limits: APILimits {
    var limits = APILimits()
    limits.connections = 8
    limits.share = 4
    limits.opening = .seconds(3_600)
    limits.idle = .seconds(3_600)
    limits.headDeadline = .seconds(3_600)
    return limits
  }

  private func expectHealth(of server: TestServer, from address: String) async throws {
    try await RawConnection.opened(to: server, isOverTCP: true, from: address) { connection in
      try await connection.send(Self.healthz)
      #expect(try await connection.receive(until: "\"ok\"}").hasPrefix("HTTP/1.1 200"))
    }
  }

  @Test(arguments: ["", "GET /heal", "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"])
  func `H6: idle connections of one address do not keep other clients out`(request: String)
    async throws
  {
    try await serving(limits) { server in
      try await RawConnection.opened(to: server, isOverTCP: true, from: "127.0.0.1", count: 40) {
        idle in
        for connection in idle { try? await connection.send(request) }
        try await expectHealth(of: server, from: "127.0.0.2")
        try await expectHealth(of: server, from: "127.0.0.1")
        let metrics = try Exposition(try await server.get("/metrics").text)
        let closed = metrics["chimed_connections_closed_total", ["reason": "room"]]
        #expect((closed ?? 0) >= 36)
      }
    }
  }

  @Test func `H6: a busy connection stays open when others connect`() async throws {
    let event = Fixtures.event("e1")
    let head = "POST /v1/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    let tokens = FakeTokens()
    let bearer = "Authorization: Bearer \(tokens.make(.administrator))\r\n"
    try await TestServer.serving(
      FakeService(), listen: TCPAddress("127.0.0.1:0"), access: APIAccess(tokens: tokens),
      limits: limits
    ) { server in
      try await RawConnection.opened(to: server, isOverTCP: true) { first in
        try await first.send(
          head + bearer + "Expect: 100-continue\r\nContent-Length: \(event.utf8.count)\r\n\r\n")
        _ = try await first.receive(until: "100 Continue")
        try await RawConnection.opened(to: server, isOverTCP: true, from: "127.0.0.1", count: 40) {
          _ in
          try await expectHealth(of: server, from: "127.0.0.1")
          try await first.send(event)
          #expect(try await first.receive(until: "accepted").contains("HTTP/1.1 202"))
        }
      }
    }
  }

  @Test func `H6: a client whose connections are all busy is refused, other clients are not`()
    async throws
  {
    let head = "POST /v1/events HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n"
    var limits = limits
    limits.bodyDeadline = .seconds(3_600)
    limits.share = 2
    let tokens = FakeTokens()
    let bearer = "Authorization: Bearer \(tokens.make(.administrator))\r\n"
    try await TestServer.serving(
      FakeService(), listen: TCPAddress("127.0.0.1:0"), access: APIAccess(tokens: tokens),
      limits: limits
    ) { server in
      try await RawConnection.opened(to: server, isOverTCP: true, from: "127.0.0.1", count: 2) {
        busyConnections in
        for connection in busyConnections {
          try await connection.send(
            head.replacing("Host: a", with: "Host: localhost") + bearer
              + "Content-Type: application/json\r\nContent-Length: 9\r\n\r\n")
          _ = try await connection.receive(until: "100 Continue")
        }
        try await RawConnection.opened(to: server, isOverTCP: true, from: "127.0.0.1") {
          thirdConnection in
          let answer = try await thirdConnection.receiveAll()
          #expect(answer == "")
        }
        try await expectHealth(of: server, from: "127.0.0.2")
        let metrics = try Exposition(try await server.get("/metrics").text)
        #expect(metrics["chimed_connections_closed_total", ["reason": "share"]] == 1)
      }
    }
  }

  @Test func `H6: a connection that sends nothing is closed and counted`() async throws {
    var limits = limits
    limits.opening = .milliseconds(50)
    try await serving(limits) { server in
      try await RawConnection.opened(to: server, isOverTCP: true) { connection in
        let answer = try await connection.receiveAll()
        #expect(answer == "")
      }
      let metrics = try Exposition(try await server.get("/metrics").text)
      #expect(metrics["chimed_connections_closed_total", ["reason": "silent"]] == 1)
    }
  }
}
