import CivilTime
import Cryptography
import DeliverySamples
import Foundation
import HTTPTypes
import JSON
import Outbox
import Sinks
import Synchronization
import Testing

/// The HTTP client of sinks against a badly behaved server.
@Suite struct SafeHTTPClientTests {
  private static let loopback = HTTPSettings(
    policy: AddressPolicy(allowed: ["127.0.0.0/8"].compactMap(Network.init)))

  /// The server of all tests. Each test uses its own paths.
  private static let peer = Result { try PythonPeer("http_peer.py") }

  private let peer: PythonPeer

  init() throws {
    peer = try Self.peer.get()
  }

  private func received(_ path: String) throws -> [JSONValue] {
    try peer.received.filter { $0["path"] == .string("/" + path) }
  }

  private func client(
    deadline: TimeSpan = .seconds(20), _ settings: HTTPSettings = loopback,
    resolver: AddressResolver = .system, freshness: TimeSpan = .zero
  ) throws -> SafeHTTPClient {
    try SafeHTTPClient(
      settings, deadline: deadline, concurrency: 4, resolver: resolver, freshness: freshness)
  }

  private func url(_ path: String, host: String = "127.0.0.1") throws -> HTTPURL {
    try HTTPURL("http://\(host):\(peer.port)/\(path)")
  }

  /// Returns the result of a request to a path, as text.
  private func outcome(
    _ path: String, _ client: SafeHTTPClient, host: String = "127.0.0.1"
  ) async throws -> String {
    let url = try url(path, host: host)
    do throws(HTTPTransferError) {
      return "\(try await client.send(HTTPRequest(body: Array("{}".utf8)), to: url).status)"
    } catch {
      switch error {
      case .unreachable(let reason): return "unreachable: \(reason)"
      case .unanswered(let reason): return "unanswered: \(reason)"
      }
    }
  }

  @Test(arguments: [
    ("ok", "200"),
    ("status/204", "204"),
    ("huge", "200"),
    ("huge-chunked", "200"),
    ("reset", "unanswered: the connection broke off before there was an answer"),
    ("reset-in-head", "unanswered: the connection broke off before there was an answer"),
    ("reset-in-body", "200"),
    ("late/0.1", "200"),
    ("redirect", "307"),
    ("garbage", "unanswered: the answer is not HTTP"),
    ("giant-field", "unanswered: the answer is not HTTP"),
    ("giant-head", "unanswered: the answer is not HTTP"),
    ("continue", "200"),
    ("continue-forever", "unanswered: the answer is not HTTP"),
    ("close", "200"),
  ])
  func `every behavior of the server gives a result`(path: String, expected: String) async throws {
    let outcome = try await outcome(path, client())
    #expect(outcome == expected)
  }

  @Test(arguments: [
    ("stall", "unanswered: no answer before the deadline"),
    ("dripping-head", "unanswered: no answer before the deadline"),
    ("drip", "200"),
    ("late/1000", "unanswered: no answer before the deadline"),
  ])
  func `a request to a slow server ends at the deadline`(path: String, expected: String)
    async throws
  {
    let start = ContinuousClock().now
    let outcome = try await outcome(path, client(deadline: .seconds(1)))
    #expect(outcome == expected)
    #expect(ContinuousClock().now - start < .seconds(15))
  }

  @Test func `a redirect is not followed`() async throws {
    #expect(try await outcome("redirect?once", try client()) == "307")
    #expect(try received("redirect?once").count == 1)
  }

  @Test func `only the beginning of a body is kept`() async throws {
    let reply = try await client().send(HTTPRequest(body: []), to: url("huge"))
    #expect(reply.beginning == Array(repeating: UInt8(ascii: "x"), count: 4_096))
    let echoed = Array(repeating: UInt8(ascii: "y"), count: 4_095)
    #expect(
      try await client().send(HTTPRequest(body: echoed), to: url("echo")).beginning == echoed)
  }

  @Test func `a request arrives as sent, without control characters in fields`() async throws {
    let fields: HTTPFields = [.contentType: "text/plain", .userAgent: "a\r\nX-Evil: b\0c"]
    let request = HTTPRequest(fields: fields, body: Array("grüße".utf8))
    _ = try await client().send(request, to: url("ok?a=b"))
    let received = try #require(try received("ok?a=b").first)
    #expect(received["body"] == "grüße")
    #expect(received["fields"]?["host"] == .string("127.0.0.1:\(peer.port)"))
    #expect(received["fields"]?["content-type"] == "text/plain")
    #expect(received["fields"]?["user-agent"] == "a  X-Evil: b c")
    #expect(received["fields"]?["x-evil"] == nil)
  }

  @Test func `a connection is reused`() async throws {
    let client = try client()
    for _ in 0..<5 { #expect(try await outcome("ok?again", client) == "200") }
    #expect(try received("ok?again").last?["number"] == 5)
  }

  @Test(arguments: ["close", "close-next"])
  func `a connection closed between requests is replaced silently`(path: String) async throws {
    let client = try client()
    for _ in 0..<20 {
      let outcome = try await outcome(path, client)
      #expect(outcome == "200")
    }
  }

  @Test func `a missing server is unreachable until it is back`() async throws {
    let client = try client()
    let peer = try PythonPeer("http_peer.py")
    let url = try HTTPURL("http://127.0.0.1:\(peer.port)/ok")
    #expect(try await client.send(HTTPRequest(body: []), to: url).status == 200)
    peer.stop()
    for _ in 0..<2 {
      let failure = await #expect(throws: HTTPTransferError.self) {
        try await client.send(HTTPRequest(body: []), to: url)
      }
      #expect(failure == .unreachable("connecting failed: Connection refused"))
    }
    let other = try PythonPeer("http_peer.py", port: peer.port)
    #expect(try await client.send(HTTPRequest(body: []), to: url).status == 200)
    #expect(try other.received.count == 1)
  }

  // MARK: - Addresses

  @Test func `an address that is not public is refused`() async throws {
    let expected =
      "unreachable: its address 127.0.0.1 is not public; to permit it, "
      + "add its network to \"allow\" of the sink"
    #expect(try await outcome("ok?refused", try client(.init())) == expected)
    #expect(
      try await outcome("ok?refused", try client(.init()), host: "localhost").hasPrefix(
        "unreachable: its address "))
    #expect(try received("ok?refused") == [])
  }

  @Test func `a name that cannot be resolved is unreachable`() async throws {
    let outcome = try await outcome("ok", try client(), host: "none.invalid")
    #expect(outcome.hasPrefix("unreachable: its name cannot be resolved: "))
  }

  /// Returns a resolver that gives the answers in order and repeats the last one, and a
  /// counter of its calls.
  private func resolver(_ answers: [[String]]) -> (AddressResolver, lookups: Counter) {
    let counter = Counter()
    let resolver = AddressResolver { _ throws(HTTPTransferError) in
      answers[min(counter.next(), answers.count - 1)].compactMap(NetworkAddress.init)
    }
    return (resolver, counter)
  }

  @Test func `the connection goes to the checked address`() async throws {
    let (resolver, lookups) = resolver([["127.0.0.1"], ["169.254.169.254"]])
    let client = try client(resolver: resolver)
    // Only this resolver knows the name, so a second lookup would not find the server.
    let first = try await outcome("ok?rebound", client, host: "rebound.invalid")
    #expect(first == "200")
    #expect(lookups.count == 1)
    let host = JSONValue.string("rebound.invalid:\(peer.port)")
    #expect(try received("ok?rebound").map { $0["fields"]?["host"] } == [host])
    let second = try await outcome("ok?rebound", client, host: "rebound.invalid")
    #expect(second.hasPrefix("unreachable: its address 169.254.169.254 is not public"))
    #expect(lookups.count == 2)
    #expect(try received("ok?rebound").count == 1)
  }

  @Test func `one forbidden address among several refuses the host`() async throws {
    let (resolver, _) = resolver([["127.0.0.1", "10.0.0.1"]])
    #expect(
      try await outcome("ok", try client(resolver: resolver), host: "two.invalid")
        .hasPrefix("unreachable: its address 10.0.0.1 is not public; "))
  }

  @Test func `among several addresses, one that answers is found`() async throws {
    let (resolver, _) = resolver([["127.7.7.7", "127.0.0.1"]])
    let client = try client(resolver: resolver)
    for _ in 0..<3 { #expect(try await outcome("ok?two", client, host: "two.invalid") == "200") }
    #expect(try received("ok?two").last?["number"] == 3)
  }

  @Test func `a silent IPv6 address delays a request only briefly`() async throws {
    let peer = try PythonPeer("http_peer.py")
    let silent = try SilentServer(port: peer.port)
    let settings = HTTPSettings(
      policy: AddressPolicy(allowed: ["127.0.0.0/8", "::1/128"].compactMap(Network.init)))
    let (resolver, _) = resolver([["::1", "127.0.0.1"]])
    let client = try client(deadline: .seconds(60), settings, resolver: resolver)
    let url = try HTTPURL("http://both.invalid:\(peer.port)/ok")
    let reply = try await client.send(HTTPRequest(body: []), to: url)
    // Without a race, the silent address would have taken half the deadline.
    #expect(reply.status == 200 && reply.duration < .seconds(25))
    withExtendedLifetime(silent) {}
  }

  @Test func `a proxy resolves the host name`() async throws {
    let proxy = try HTTPURL("http://127.0.0.1:\(peer.port)")
    let (resolver, lookups) = resolver([[]])
    let client = try client(HTTPSettings(proxy: proxy), resolver: resolver)
    let url = try HTTPURL("http://elsewhere.invalid/ok?proxied")
    #expect(try await client.send(HTTPRequest(body: []), to: url).status == 200)
    #expect(lookups.count == 0)
    let received = try peer.received.filter {
      $0["path"] == "http://elsewhere.invalid/ok?proxied"
    }
    #expect(received.map { $0["fields"]?["host"] } == ["elsewhere.invalid"])
    let failure = await #expect(throws: HTTPTransferError.self) {
      try await client.send(HTTPRequest(body: []), to: HTTPURL("http://10.0.0.1/ok"))
    }
    #expect(failure?.reason.contains("its address 10.0.0.1 is not public") == true)
  }

  @Test func `many requests at once share one lookup`() async throws {
    let (resolver, lookups) = resolver([["127.0.0.1"]])
    let client = try client(resolver: resolver, freshness: .hours(1))
    let url = try url("ok", host: "many.invalid")
    let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<20 {
        group.addTask { try await client.send(HTTPRequest(body: []), to: url).status }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(statuses == Array(repeating: 200, count: 20))
    #expect(lookups.count == 1)
  }

  @Test func `a hanging resolver does not delay the deadline`() async throws {
    let gate = DispatchSemaphore(value: 0)
    defer { gate.signal() }
    let resolver = AddressResolver { _ throws(HTTPTransferError) in
      gate.wait()
      return []
    }
    #expect(
      try await outcome(
        "ok", try client(deadline: .milliseconds(200), resolver: resolver), host: "slow.invalid")
        == "unreachable: resolving its name took too long")
  }

  @Test func `a response is recorded without the sink's secrets`() async throws {
    let body = Array("token=T0KEN and T0KEN\u{1B}[2J".utf8)
    let reply = try await client().send(HTTPRequest(body: body), to: url("echo"))
    let response = reply.response(hiding: [Secret("T0KEN")])
    #expect(response.status == "400")
    #expect(response.excerpt == "token=***** and ***** [2J")
  }

  @Test func `overlapping secrets are hidden completely`() async throws {
    let reply = try await client().send(
      HTTPRequest(body: Array("<aaXYbb> XYXY aXYY".utf8)), to: url("echo"))
    let response = reply.response(hiding: [Secret("XY"), Secret("aaXYbb"), Secret("YXY")])
    #expect(response.excerpt == "<******> **** a**Y")
  }

  @Test(arguments: [
    ("Retry-After:_120", TimeSpan.seconds(120)),
    ("Retry-After:_Mon,_02_Mar_2026_12:00:30_GMT", .seconds(30)), ("Other:_1", nil),
  ])
  func `Retry-After is read`(field: String, span: TimeSpan?) async throws {
    let reply = try await client().send(HTTPRequest(body: []), to: url("status/503/\(field)"))
    #expect(reply.retryAfter(now: Fixtures.noon) == span)
  }
}

/// A counter of calls.
final class Counter: Sendable {
  private let value = Mutex(0)

  var count: Int { value.withLock { $0 } }

  /// Returns the count before this call.
  func next() -> Int {
    value.withLock { value in
      defer { value += 1 }
      return value
    }
  }
}
