import API
import Access
import JSON
import Testing

/// Request heads that name other hosts, and ambiguous heads. If two programs read a head
/// differently, a request can be smuggled past one of them (RFC 9112, sections 3.2, 5 and 6).
@Suite(.timeLimit(.minutes(1))) struct HeadTests {
  private func answer(to request: String) async throws -> String {
    var limits = APILimits()
    limits.linger = .milliseconds(50)
    var answer = ""
    try await TestServer.serving(
      FakeService(), listen: TCPAddress("127.0.0.1:0"), access: APIAccess(tokens: FakeTokens()),
      limits: limits
    ) { server in
      try await RawConnection.opened(to: server, isOverTCP: true) { connection in
        try await connection.send(request)
        answer = try await connection.receiveAll()
      }
    }
    return answer
  }

  @Test(arguments: [
    "Host: localhost\r\nHost: evil.example", "Host: localhost\r\nhost: localhost", "X: no host",
    "Host: [::1].evil.com", "Host: local host", "Host: u@localhost", "Host: localhost:x",
    "Host: localhost, evil.example:x", "Host: l\u{f6}calhost",
    "Host : localhost", "Host: localhost\r\nX : a", "Host: localhost\r\nX: a\r\n b",
    " Host: localhost", "Host: localhost\r\nX: a\rb", "Host: localhost\r\nX: a\u{0}b",
    "Host: localhost\u{0}", "Host: localhost\r\nTransfer-Encoding: gzip",
    "Host: localhost\r\nTransfer-Encoding: gzip, chunked",
    "Host: localhost\r\nTransfer-Encoding: chunked, gzip",
    "Host: localhost\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
    "Host: localhost\r\nTransfer-Encoding: xchunked",
    "Host: localhost\r\nTransfer-Encoding: identity\r\nContent-Length: 0",
    "Host: localhost\r\nTransfer-Encoding: chunked\r\nContent-Length: 5",
    "Host: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked",
    "Host: localhost\r\nContent-Length: 0\r\nContent-Length: 0",
    "Host: localhost\r\nContent-Length: 0, 0", "Host: localhost\r\nContent-Length: +0",
  ])
  func `H3: an ambiguous head is refused and ends the connection`(fields: String) async throws {
    let next = "GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    let answer = try await answer(to: "GET /healthz HTTP/1.1\r\n\(fields)\r\n\r\n0\r\n\r\n\(next)")
    #expect(answer.hasPrefix("HTTP/1.1 400 "))
    #expect(answer.contains("urn:chimed:problem:malformed-request"))
    #expect(answer.split(separator: "HTTP/1.1 4").count == 1 && !answer.contains("ready"))
  }

  @Test(arguments: [
    ("http://evil.example/healthz", "localhost"), ("http://localhost/healthz", "evil.example"),
    ("http://evil.example@localhost/healthz", "localhost"), ("ftp://localhost/", "localhost"),
    ("http:///healthz", "localhost"), ("http://localhost:81/healthz", "localhost"),
    ("javascript:x", "localhost"), ("*", "localhost"), ("evil.example:443", "localhost"),
  ])
  func `H1: a target that differs from the Host field is refused`(target: String, host: String)
    async throws
  {
    let answer = try await answer(to: "GET \(target) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 400 "))
  }

  @Test(arguments: [
    ("GET http://evil.example/healthz HTTP/1.1\r\nHost: evil.example\r\n", 421),
    ("GET http://evil.example/healthz HTTP/1.0\r\n", 421),
    ("GET http://localhost/healthz HTTP/1.1\r\nHost: LOCALHOST:80\r\n", 200),
    ("GET HTTP://localhost:7/healthz HTTP/1.1\r\nHost: localhost:7\r\n", 200),
    ("GET /healthz HTTP/1.0\r\n", 200), ("GET /healthz HTTP/1.0\r\nHost: evil.example\r\n", 421),
    ("GET /healthz HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\n", 200),
    ("GET /healthz HTTP/1.1\r\nHost:\tlocalhost \t\r\n", 200),
    ("GET /healthz HTTP/1.1\r\nHost:\r\n", 421),
    ("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: keep-alive, Close\r\n", 200),
  ])
  func `H1: the host of a request decides whether it is served`(head: String, status: Int)
    async throws
  {
    let isClosed = status == 200 && head.contains("1.0") || head.contains("Close")
    let last = isClosed ? "\r\n" : "Connection: close\r\n\r\n"
    let answer = try await answer(to: head + last)
    #expect(answer.split(separator: " ").dropFirst().first == "\(status)")
    #expect(answer.contains("Connection: close\r\n"))
  }

  @Test func `H1: an invalid second head ends the connection after one answer`() async throws {
    let validRequest = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    let answer = try await answer(
      to: validRequest + validRequest.replacing("Host", with: "Host: a\r\nHost"))
    #expect(answer.split(separator: "HTTP/1.1 200").count == 1 && answer.contains("\"ok\"}"))
  }

  /// A Unix socket may be forwarded to a port that browsers can reach under a foreign name.
  @Test(arguments: [
    ("evil.example", 421), ("evil.example:80", 421), ("a", 200), ("localhost", 200),
    ("%2Frun%2Fchimed.sock", 200), ("127.0.0.1", 200), ("[::1]:80", 200),
  ])
  func `H1: a foreign host name is refused on the Unix socket`(host: String, status: Int)
    async throws
  {
    try await TestServer.serving(FakeService()) { server in
      try await RawConnection.opened(to: server) { connection in
        try await connection.send(
          "GET /v1/status HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n")
        #expect(try await connection.receiveAll().hasPrefix("HTTP/1.1 \(status) "))
      }
    }
  }
}
