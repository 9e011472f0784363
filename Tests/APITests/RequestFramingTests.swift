import NIOCore
import TestSupport
import Testing

@testable import API

struct RequestFramingTests {
  private static let requests = [
    "GET /v1/status HTTP/1.1\r\nHost: a\r\n\r\n",
    "POST /v1/events HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n\r\n\r\nGET /",
    "PATCH /v1/x HTTP/1.1\r\nContent-Length: 0\r\n\r\n",
  ]

  @Test func `the ends of plain requests are found in pieces of any length`() {
    let seed = UInt64.random(in: 0...999_999)
    var generator = SplitMix64(seed: seed)
    for _ in 0..<500 {
      let requests = (0..<4).map { _ in Self.requests.randomElement(using: &generator) ?? "" }
      var ends: Set<Int> = [0]
      for request in requests { ends.insert((ends.max() ?? 0) + request.utf8.count) }
      var bytes = ByteBuffer(string: requests.joined())
      let count = bytes.readableBytes
      var framing = RequestFraming(needsHost: false)
      while bytes.readableBytes > 0 {
        let length = min(bytes.readableBytes, Int.random(in: 1...80, using: &generator))
        framing.advance(over: bytes.readSlice(length: length) ?? ByteBuffer())
        let offset = count - bytes.readableBytes
        #expect(framing.isBetweenRequests == ends.contains(offset), "seed \(seed), \(offset)")
      }
    }
  }

  @Test(arguments: [
    "POST /v1/events HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "GET / HTTP/1.0\r\n\r\n", "\r\nGET / HTTP/1.1\r\n\r\n", "no request\r\n\r\n",
    "GET / HTTP/1.1\r\nX: \(String(repeating: "a", count: 9_000))\r\n\r\n",
  ])
  func `nothing is certain after a request that is not plain`(request: String) {
    var framing = RequestFraming(needsHost: false)
    for text in [Self.requests[0], request, Self.requests[0]] {
      framing.advance(over: ByteBuffer(string: text))
    }
    #expect(!framing.isBetweenRequests)
  }

  @Test func `a head that the decoder's handlers refuse is the end of certainty`() {
    var framing = RequestFraming(needsHost: true)
    framing.advance(over: ByteBuffer(string: Self.requests[0]))
    #expect(framing.isBetweenRequests)
    framing.advance(over: ByteBuffer(string: "GET / HTTP/1.1\r\n\r\n"))
    #expect(!framing.isBetweenRequests)
  }
}
