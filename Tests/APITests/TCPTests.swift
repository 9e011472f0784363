import API
import Access
import Glibc
import JSON
import Testing

/// The TCP listener (rule H1).
@Suite(.timeLimit(.minutes(1))) struct TCPTests {
  private let tokens = FakeTokens()

  private func serving(
    hosts: [String] = [], _ body: (TestServer) async throws -> Void
  ) async throws {
    try await TestServer.serving(
      FakeService(), listen: TCPAddress("127.0.0.1:0"),
      access: APIAccess(tokens: tokens, hosts: hosts), body)
  }

  private func head(_ path: String, host: String?, token: String? = nil) -> String {
    "GET \(path) HTTP/1.1\r\n" + (host.map { "Host: \($0)\r\n" } ?? "")
      + (token.map { "Authorization: Bearer \($0)\r\n" } ?? "") + "Connection: close\r\n\r\n"
  }

  @Test func `a request without a token is answered 401, except for health`() async throws {
    try await serving { server in
      for path in ["/v1/status", "/v1/recipients/u1/pending", "/v1/tokens"] {
        let reply = try await server.call("GET", path, isOverTCP: true)
        #expect(reply.status == 401)
        #expect(reply["www-authenticate"] == "Bearer realm=\"chimed\"")
        #expect(try reply.json["type"] == "urn:chimed:problem:unauthenticated")
      }
      #expect(try await server.call("GET", "/healthz", isOverTCP: true).status == 200)
      #expect(try await server.call("GET", "/readyz", isOverTCP: true).status == 200)
    }
  }

  @Test func `a caller with a token is served`() async throws {
    try await serving { server in
      let headers = ["authorization": "bearer \(tokens.make(.administrator))"]
      let status = try await server.call("GET", "/v1/status", headers: headers, isOverTCP: true)
      #expect(status.status == 200)
      let list = try await server.call("GET", "/v1/tokens", headers: headers, isOverTCP: true)
      #expect(list.status == 200)
      let creation = try await server.call(
        "POST", "/v1/tokens",
        headers: headers.merging(["content-type": "application/json"]) { $1 },
        body: #"{"name":"another","scope":"admin"}"#, isOverTCP: true)
      #expect(creation.status == 403)
    }
  }

  @Test func `requests on the Unix socket are answered too`() async throws {
    try await serving { server in
      let reply = try await server.get("/v1/status")
      #expect(reply.status == 200)
    }
  }

  /// A page whose host name resolves to the loopback address is no valid client (DNS rebinding).
  @Test(arguments: [
    "rebound.example", "rebound.example:80", "127.0.0.1.rebound.example", "localhost.example", "",
    "1",
  ])
  func `a foreign host name is answered 421`(host: String) async throws {
    try await serving { server in
      let token = tokens.make(.administrator)
      for path in ["/healthz", "/v1/status", "/nowhere"] {
        try await RawConnection.opened(to: server, isOverTCP: true) { connection in
          try await connection.send(head(path, host: host, token: token))
          let answer = try await connection.receiveAll()
          #expect(answer.hasPrefix("HTTP/1.1 421"))
        }
      }
    }
  }

  @Test(arguments: [
    "localhost", "LOCALHOST:1", "127.0.0.1", "127.0.0.1:7411", "[::1]:7411", "localhost.",
    "chime.home.arpa", "Chime.home.arpa:80",
  ])
  func `the service's own host names are served`(host: String) async throws {
    try await serving(hosts: ["chime.home.arpa"]) { server in
      try await RawConnection.opened(to: server, isOverTCP: true) { connection in
        try await connection.send(head("/healthz", host: host))
        #expect(try await connection.receiveAll().hasPrefix("HTTP/1.1 200"))
      }
    }
  }

  @Test func `an address in use is reported at the start`() async throws {
    try await serving { server in
      let usedAddress = try #require(TCPAddress(server.address))
      let error = await #expect(throws: ListenError.self) {
        try await TestServer.serving(FakeService(), listen: usedAddress) { _ in }
      }
      #expect(
        error?.description
          == "\(usedAddress) cannot be bound; choose another address with --listen: "
          + "Address already in use")
    }
  }
}
