import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTP1
import TestSupport
import Testing

@testable import API

/// A plain head is read as the general decoder reads it. Two readers that disagree about one
/// connection would let a request be smuggled past one of them (RFC 9112, section 11.2).
struct PlainRequestHeadTests {
  private func plain(_ text: String) -> PlainRequestHead? {
    PlainRequestHead(ByteBuffer(string: text).readableBytesUInt8Span, needsHost: false)
  }

  private func post(_ fields: String...) -> String {
    (["POST /v1/events HTTP/1.1"] + fields + ["", ""]).joined(separator: "\r\n")
  }

  @Test func `the fields that matter for events are read`() throws {
    let text = post(
      "hOST: localhost:7411", "User-Agent: curl/8", "Content-Type: application/json",
      "Authorization: Bearer a b", "Connection: Keep-Alive", "CE-Id: 7", "Content-Length: 120")
    let head = try #require(plain(text + "{"))
    #expect(head.length == text.utf8.count)
    #expect(head.bodyLength == 120)
    let events = try #require(head.events)
    #expect(events.authority == "localhost:7411")
    let fields = events.fields.map { "\($0.name.canonicalName): \($0.value)" }
    #expect(
      fields == ["content-type: application/json", "authorization: Bearer a b", "ce-id: 7"])
  }

  @Test(arguments: [
    "GET /v1/status HTTP/1.1\r\n\r\n", "PATCH /v1/events?a=b HTTP/1.1\r\nX: y\r\n\r\n",
    "POST /v1/events/ HTTP/1.1\r\n\r\n",
  ])
  func `the head of another route is plain, but has no events`(text: String) throws {
    let head = try #require(plain(text))
    #expect(head.length == text.utf8.count && head.bodyLength == 0 && head.events == nil)
  }

  @Test(arguments: [
    "Transfer-Encoding: chunked", "transfer-encoding: chunked", "Expect: 100-continue",
    "Connection: close", "Connection: keep-alive, upgrade", "Upgrade: h2c", "Trailer: a",
    "Content-Length: 5\r\nContent-Length: 5", "Content-Length: +5", "Content-Length: 5, 5",
    "Content-Length: 0x5", "Content-Length: -5", "Content-Length: 1234567890",
    "Host: a\r\nHost: a", "Host: a b", "Host: u@a", "Host: a:b", "X : y", " X: y", "X: y\r\n z",
    "X:y", "X:  y", "X: y ", "X:", "X: \t y", "X", ": y", "X: \u{e9}", "X: a\u{0}b", "X: a\rb",
    "X: y\n", "X\u{7f}: y", "X: \(String(repeating: "a", count: 9_000))",
    String(repeating: "X: y\r\n", count: 70) + "X: y",
  ])
  func `a head with anything unusual is left to the decoder`(field: String) {
    #expect(plain(post(field)) == nil)
  }

  @Test func `a head without Host is plain only where none is needed`() {
    let bytes = ByteBuffer(string: "GET / HTTP/1.1\r\n\r\n")
    #expect(PlainRequestHead(bytes.readableBytesUInt8Span, needsHost: false) != nil)
    #expect(PlainRequestHead(bytes.readableBytesUInt8Span, needsHost: true) == nil)
  }

  @Test(arguments: [
    "POST  /v1/events HTTP/1.1", "post /v1/events HTTP/1.1", "POST /v1/events HTTP/1.0",
    "POST /v1/events  HTTP/1.1", "POST v1/events HTTP/1.1", "CONNECT /v1/events HTTP/1.1",
    "GET http://a/ HTTP/1.1", "GET * HTTP/1.1", "GET /a b HTTP/1.1", "GET HTTP/1.1", "GET ",
    "GET / HTTP/1.1 ", "", "GET /",
    "\r\nGET / HTTP/1.1",
  ])
  func `an unusual request line is left to the decoder`(line: String) {
    #expect(plain(line + "\r\nHost: a\r\n\r\n") == nil)
  }

  // MARK: - The decoder

  /// Reads a request with the general handlers. Returns nil if its head is invalid or incomplete.
  private func decoded(
    _ bytes: ByteBuffer
  ) throws -> (head: HTTPRequestHead, body: Int, isWhole: Bool)? {
    let channel = EmbeddedChannel()
    defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
    try channel.pipeline.syncOperations.addHandler(
      ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes)))
    try channel.pipeline.syncOperations.addHandler(HeadHandler(needsHost: false))
    _ = try? channel.writeInbound(bytes)
    guard case .head(let head)? = try? channel.readInbound(as: HTTPServerRequestPart.self) else {
      return nil
    }
    var body = 0
    while let part = try channel.readInbound(as: HTTPServerRequestPart.self) {
      switch part {
      case .head: return (head, body, true)
      case .body(let bytes): body += bytes.readableBytes
      case .end: return (head, body, true)
      }
    }
    return (head, body, false)
  }

  /// Changes valid heads at random, in ways that divide readers.
  private struct Mutator {
    var generator: SplitMix64

    private static let fragments = [
      "\r\n", "\n", "\r", " ", "\t", ":", ": ", ",", "0", "9", "-", "+", "\u{0}", "\u{7f}", "a",
      "A",
      "Content-Length: 3\r\n", "Transfer-Encoding: chunked\r\n", "Host: b\r\n", "HTTP/1.1", "/",
      "Connection: close\r\n", "\r\n\r\n", "POST ", "GET ", "_", "%", "?", "#", "\u{e9}",
    ]

    mutating func head() -> [UInt8] {
      let body = Int.random(in: 0...12, using: &generator)
      var bytes = Array(
        """
        POST /v1/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
        X-Note: a b\r\nContent-Length: \(body)\r\n\r\n
        """.utf8)
      for _ in 0..<Int.random(in: 0...2, using: &generator) {
        let start = Int.random(in: bytes.indices, using: &generator)
        let end = min(bytes.count, start + Int.random(in: 0...3, using: &generator))
        let fragment = Self.fragments.randomElement(using: &generator) ?? ""
        bytes.replaceSubrange(start..<end, with: Array(fragment.utf8))
      }
      return bytes + Array("{\"a\":1,\"b\":22} and more".utf8)
    }
  }

  @Test func `H3: the decoder reads each plain head in the same way`() throws {
    let seed = UInt64.random(in: 0...999_999)
    var mutator = Mutator(generator: SplitMix64(seed: seed))
    var plainCount = 0
    for _ in 0..<20_000 {
      let bytes = mutator.head()
      let text = String(decoding: bytes, as: UTF8.self).debugDescription
      guard let head = PlainRequestHead(bytes.span, needsHost: false) else { continue }
      plainCount += 1
      guard bytes.count >= head.length + head.bodyLength else { continue }
      let request = ByteBuffer(bytes: bytes[..<(head.length + head.bodyLength)])
      let decoded = try #require(try decoded(request), "seed \(seed): \(text)")
      #expect(decoded.isWhole && decoded.body == head.bodyLength, "seed \(seed): \(text)")
      // One byte less is an incomplete request, so the request ends at exactly this byte.
      let part = request.getSlice(at: 0, length: request.readableBytes - 1) ?? ByteBuffer()
      #expect(try self.decoded(part)?.isWhole != true, "seed \(seed): \(text)")
      guard let events = head.events else { continue }
      #expect(decoded.head.method == .POST && decoded.head.uri == EventRoute.path)
      #expect(decoded.head.headers.first(name: "Host") == events.authority, "seed \(seed): \(text)")
      let fields = decoded.head.headers.map { "\($0.name): \($0.value)" }
        .filter { field in
          !["host: ", "content-length: "].contains { field.lowercased().hasPrefix($0) }
        }
      let plainFields = events.fields.map { "\($0.name.rawName): \($0.value)" }
      #expect(
        plainFields.map { $0.lowercased() } == fields.map { $0.lowercased() },
        "seed \(seed): \(text)")
    }
    #expect(plainCount > 2_000)
  }
}
