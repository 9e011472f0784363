import API
import Access
import Glibc
import JSON
import TestSupport
import Testing

/// Malformed requests are answered with a reason and do no harm.
@Suite(.timeLimit(.minutes(3))) struct MalformedRequestTests {
  @Test(arguments: [
    ("hello\r\n\r\n", 400, "malformed-request"),
    ("GET /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n", 400, "malformed-request"),
    (
      "GET /healthz HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "a", count: 90_000))\r\n\r\n",
      431, "head-too-large"
    ),
    ("G\u{7f}T /healthz HTTP/1.1\r\nHost: a\r\n\r\n", 400, "malformed-request"),
  ])
  func `a malformed request is answered with the reason`(request: String, status: Int, kind: String)
    async throws
  {
    try await TestServer.serving(FakeService()) { server in
      try await RawConnection.opened(to: server) { connection in
        try await connection.send(request)
        let answer = try await connection.receive(until: "\"}")
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
        #expect(answer.contains("Content-Type: application/problem+json"))
        #expect(answer.contains("\"urn:chimed:problem:\(kind)\""))
      }
    }
  }

  /// A client that sends a byte from time to time is not idle, but never completes a request.
  @Test(arguments: ["P", "POST /v1/events HTTP/1.1\r\nHo"])
  func `a slow head is refused at its deadline`(beginning: String) async throws {
    var limits = APILimits()
    limits.headDeadline = .milliseconds(500)
    limits.linger = .milliseconds(50)
    try await TestServer.serving(FakeService(), limits: limits) { server in
      try await RawConnection.opened(to: server) { connection in
        try await connection.send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try await connection.receive(until: "\"ok\"}")
        try await connection.send(beginning)
        let answer = try await connection.receiveAll()
        #expect(answer.contains("HTTP/1.1 408 "))
        #expect(answer.contains("urn:chimed:problem:slow-head"))
      }
    }
  }

  @Test func `a slow head before its deadline is accepted`() async throws {
    try await TestServer.serving(FakeService()) { server in
      try await RawConnection.opened(to: server) { connection in
        for letter in "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n" {
          try await connection.send(String(letter))
        }
        #expect(try await connection.receive(until: "\"ok\"}").hasPrefix("HTTP/1.1 200"))
      }
    }
  }

  @Test func `thousands of malformed requests do no harm`() async throws {
    let seed =
      getenv("CHIMED_SEED").flatMap { UInt64(String(cString: $0)) } ?? .random(in: 0 ... .max)
    print("malformed requests; to repeat them: CHIMED_SEED=\(seed)")
    var generator = SplitMix64(seed: seed)
    let service = try FakeService()
    var limits = APILimits()
    limits.linger = .milliseconds(10)
    limits.bodyDeadline = .milliseconds(100)
    limits.headDeadline = .milliseconds(100)
    var address = ""
    try await TestServer.serving(
      service, listen: TCPAddress("127.0.0.1:0"), access: APIAccess(tokens: FakeTokens()),
      limits: limits
    ) { server in
      address = server.address
      for _ in 0..<150 {
        let requests = (0..<20).map { _ in Mutation.request(using: &generator) }
        try await withThrowingDiscardingTaskGroup { group in
          for request in requests {
            group.addTask { try await Self.send(request, to: server, seed) }
          }
        }
      }
      #expect(try await server.call("GET", "/healthz", isOverTCP: true).status == 200)
    }
    #expect(service.groups == [], "seed \(seed)")
    #expect(OpenSockets.count(port: address) == 0, "seed \(seed)")
  }

  private static func send(_ bytes: [UInt8], to server: TestServer, _ seed: UInt64) async throws {
    try await RawConnection.opened(to: server, isOverTCP: true) { connection in
      try await connection.send(bytes)
      connection.finish()
      let answer = try await connection.receiveAll()
        .replacing("HTTP/1.1 100 Continue\r\n\r\n", with: "")
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(isHarmless(answer), "\(text.debugDescription) got \(answer), seed \(seed)")
    }
  }

  /// Returns whether an answer is harmless. Some mutations are still valid requests, for the health
  /// check or for a path that redirects. A request of HTTP/1.0 is answered in that version.
  private static func isHarmless(_ answer: String) -> Bool {
    guard !answer.isEmpty else { return true }
    let line = answer.prefix { $0 != "\r\n" }
    let words = line.split(separator: " ", maxSplits: 2)
    guard words.count == 3, ["HTTP/1.0", "HTTP/1.1"].contains(words[0]) else { return false }
    let status = words[1]
    let isHealthAnswer = answer.contains("\"status\":\"ok\"") || answer.hasSuffix("\r\n\r\n")
    return status.hasPrefix("4") || status == "302" || (status == "200" && isHealthAnswer)
  }
}

/// Mutations of valid requests.
private enum Mutation {
  private static let validRequests = [
    "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "GET /v1/recipients/u1/pending?limit=2 HTTP/1.1\r\nHost: localhost\r\n"
      + "Authorization: Bearer x\r\n\r\n",
    "POST /v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
      + "Content-Length: 93\r\n\r\n" + Fixtures.event("e1"),
    "POST /v1/events HTTP/1.1\r\nHost: [::1]\r\nContent-Type: application/x-ndjson\r\n"
      + "Transfer-Encoding: chunked\r\n\r\n5d\r\n" + Fixtures.event("e2") + "\r\n0\r\n\r\n",
    "PATCH /v1/recipients/u1/preferences HTTP/1.1\r\nHost: localhost\r\n"
      + "Content-Length: 16\r\nExpect: 100-continue\r\n\r\n{\"master\":false}",
  ]

  static func request(using generator: inout some RandomNumberGenerator) -> [UInt8] {
    var bytes = Array((validRequests.randomElement(using: &generator) ?? "").utf8)
    for _ in 0..<Int.random(in: 0..<6, using: &generator) {
      mutate(&bytes, using: &generator)
    }
    return bytes
  }

  private static func mutate(
    _ bytes: inout [UInt8], using generator: inout some RandomNumberGenerator
  ) {
    let index = Int.random(in: 0...bytes.count, using: &generator)
    let length = min(bytes.count - index, Int.random(in: 0..<30, using: &generator))
    switch Int.random(in: 0..<6, using: &generator) {
    case 0 where index < bytes.count:
      bytes[index] = UInt8.random(in: 0 ... .max, using: &generator)
    case 1: bytes.removeSubrange(index..<index + length)
    case 2: bytes.insert(contentsOf: Array(bytes[index..<index + length]), at: index)
    case 3: bytes.removeSubrange(index...)
    case 4: bytes.insert(contentsOf: "\r\n".utf8, at: index)
    default:
      let noise = (0..<length).map { _ in UInt8.random(in: 0 ... .max, using: &generator) }
      bytes.insert(contentsOf: noise, at: index)
    }
  }
}

/// The open TCP sockets of this process.
private enum OpenSockets {
  /// Counts the sockets with a port at either end.
  ///
  /// - Parameter address: an address that ends with the port.
  static func count(port address: String) -> Int {
    let port = UInt16(address.split(separator: ":").last ?? "") ?? 0
    let digits = String(port, radix: 16, uppercase: true)
    let portSuffix = ":" + String(repeating: "0", count: 4 - digits.count) + digits
    let openFiles = Set(descriptors())
    return lines(of: "/proc/self/net/tcp").count { line in
      let fields = line.split(separator: " ")
      guard fields.count > 9 else { return false }
      let hasPort = fields[1].hasSuffix(portSuffix) || fields[2].hasSuffix(portSuffix)
      return hasPort && openFiles.contains("socket:[\(fields[9])]")
    }
  }

  private static func descriptors() -> [String] {
    (0..<4_096).compactMap { descriptor in
      var target = [CChar](repeating: 0, count: 64)
      let length = readlink("/proc/self/fd/\(descriptor)", &target, target.count)
      guard length > 0 else { return nil }
      return String(decoding: target.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
  }

  private static func lines(of path: String) -> [Substring] {
    guard let file = fopen(path, "r") else { return [] }
    defer { fclose(file) }
    var text = ""
    var buffer = [CChar](repeating: 0, count: 512)
    while fgets(&buffer, 512, file) != nil { text += read(buffer) }
    return text.split(separator: "\n")
  }

  private static func read(_ line: [CChar]) -> String {
    String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
