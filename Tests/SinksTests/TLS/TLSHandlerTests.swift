import AnswerPeers
import NIOCore
import NIOEmbedded
import NIOTLS
import TLS
import TestSupport
import Testing

/// TLS over a wire that the test controls.
@Suite struct TLSHandlerTests {
  private static let handshakeEvent = TLSUserEvent.handshakeCompleted(negotiatedProtocol: "h2")

  private let certificates: TestCertificates
  private let pair: TLSPair

  init() throws {
    certificates = try TestCertificates()
    pair = try TLSPair(certificates, authority: certificates.authority)
  }

  private func connect() throws {
    try pair.connect()
    try pair.carry()
  }

  // MARK: - Data

  @Test(arguments: [1, 2, 5, 1_000, .max])
  func `the pieces in which bytes arrive do not affect the handshake`(size: Int) throws {
    try pair.connect()
    try pair.carry(by: size)
    #expect(pair.client.events == [Self.handshakeEvent])
    #expect(pair.server.events == [Self.handshakeEvent])
    #expect(pair.client.write(Array("how are you?".utf8)).hasSucceededOnce)
    #expect(pair.server.write(Array("well".utf8)).hasSucceededOnce)
    try pair.carry(by: size)
    #expect(pair.server.received == Array("how are you?".utf8))
    #expect(pair.client.received == Array("well".utf8))
    #expect(pair.client.faults + pair.server.faults == [])
  }

  @Test func `large data passes unchanged in both directions`() throws {
    let seed = UInt64.random(in: 0...UInt64(UInt32.max))
    print("large data in both directions has the seed \(seed)")
    var random = SplitMix64(seed: seed)
    try connect()
    let texts = (0..<2).map { _ in random.bytes(1 << 20) }
    #expect(pair.client.write(texts[0]).hasSucceededOnce)
    #expect(pair.server.write(texts[1]).hasSucceededOnce)
    #expect(pair.client.write([]).hasSucceededOnce)
    try pair.carry(by: random.number(1_000...70_000))
    #expect(pair.server.received == texts[0])
    #expect(pair.client.received == texts[1])
  }

  @Test func `data flushed before the handshake is sent after it`() throws {
    let earlyWrite = pair.client.write([1, 2])
    try pair.connect()
    let laterWrite = pair.client.write([3])
    let unflushed = pair.client.write([4], isFlushed: false)
    #expect(earlyWrite.isOpen && laterWrite.isOpen)
    try pair.carry()
    #expect(pair.server.received == [1, 2, 3])
    #expect(earlyWrite.hasSucceededOnce && laterWrite.hasSucceededOnce && unflushed.isOpen)
    pair.client.channel.flush()
    try pair.carry()
    #expect(pair.server.received == [1, 2, 3, 4])
    #expect(unflushed.hasSucceededOnce)
  }

  // MARK: - The end

  @Test func `a close is announced to the peer`() throws {
    try connect()
    let unflushed = pair.client.write([1], isFlushed: false)
    pair.client.channel.close(promise: nil)
    #expect(unflushed.hasFailedOnce)
    try pair.carry()
    #expect(pair.server.events == [Self.handshakeEvent, .shutdownCompleted])
    #expect(!pair.server.channel.isActive)
    #expect(pair.client.faults + pair.server.faults == [])
    #expect(pair.client.write([2]).hasFailedOnce)
  }

  @Test func `a half-closed side still receives`() throws {
    try connect()
    pair.client.channel.close(mode: .output, promise: nil)
    #expect(pair.client.write([1]).hasFailedOnce)
    #expect(pair.server.write([2]).hasSucceededOnce)
    pair.server.channel.close(promise: nil)
    try pair.carry()
    #expect(pair.client.received == [2])
    #expect(pair.client.events == [Self.handshakeEvent, .shutdownCompleted])
  }

  @Test func `an unannounced end is an error after the received data`() throws {
    try connect()
    _ = pair.server.write([7])
    try pair.carry()
    let unflushed = pair.client.write([1], isFlushed: false)
    pair.client.cutWire()
    #expect(pair.client.received == [7])
    #expect(pair.client.faults == [.cutOff])
    #expect(pair.client.events == [Self.handshakeEvent])
    #expect(unflushed.hasFailedOnce && unflushed.fault == .cutOff)
    pair.server.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    #expect(pair.server.faults == [.cutOff])
    #expect(!pair.server.channel.isActive)
  }

  @Test func `an end during the handshake fails the pending writes`() throws {
    try pair.connect()
    let writePromise = pair.client.write([1])
    let answer = pair.server.write([2])
    let hello = try #require(try pair.client.channel.readOutbound(as: ByteBuffer.self))
    try pair.server.channel.writeInbound(hello)
    pair.client.channel.close(promise: nil)
    #expect(writePromise.hasFailedOnce)
    #expect(pair.client.faults == [])
    pair.server.cutWire()
    #expect(pair.server.faults == [.cutOff])
    #expect(answer.hasFailedOnce)
    #expect(pair.client.events + pair.server.events == [])
  }

  @Test func `a damaged record is not delivered`() throws {
    try connect()
    #expect(pair.server.write([1, 2, 3]).hasSucceededOnce)
    let unflushed = pair.client.write([4], isFlushed: false)
    try pair.carry(damage: { bytes in
      let last = bytes.writerIndex - 1
      if let byte = bytes.getInteger(at: last, as: UInt8.self) {
        bytes.setInteger(byte ^ 1, at: last)
      }
    })
    #expect(pair.client.received == [])
    #expect(pair.client.faults == [.broken])
    #expect(pair.client.words == "decryption failed or bad record mac")
    #expect(!pair.client.channel.isActive)
    #expect(unflushed.hasFailedOnce && unflushed.fault == .broken)
    // The client tells the server the reason by an alert.
    #expect(pair.server.words == "sslv3 alert bad record mac")
  }

  @Test func `bytes that are not TLS are refused`() throws {
    try pair.connect()
    try pair.client.channel.writeInbound(ByteBuffer(string: "HTTP/1.1 400 Bad Request\r\n\r\n"))
    #expect(pair.client.faults == [.broken])
    #expect(pair.client.words == "wrong version number")
    #expect(!pair.client.channel.isActive)
  }
}
