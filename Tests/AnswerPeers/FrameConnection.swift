package import NIOCore

/// Receives HTTP/2 requests, and answers each by its script. A request for an OAuth token is
/// answered with a token. The connection also sends its settings, a large window, acknowledgments,
/// and the greeting of its `AnswerBook`.
package final class FrameConnection: ChannelInboundHandler {
  package typealias InboundIn = ByteBuffer
  package typealias Script = @Sendable (_ stream: UInt32) -> AnswerScript

  /// The length of the client's connection preface, in bytes.
  private static let preface = 24
  /// The rate of endless answers. Reading `AnswerWriter.byteCountMax` bytes takes four seconds on
  /// any machine, so a client that ends at a deadline of one second reads fewer.
  private static let bytesPerSecond = 4 << 20

  private let book: AnswerBook<Script>
  private var received: [UInt8] = []
  private var isGreeted = false
  private var bodies: [UInt32: [UInt8]] = [:]

  package init(_ book: AnswerBook<Script>) {
    self.book = book
  }

  package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    received += unwrapInboundIn(data).readableBytesView
    let writer = AnswerWriter(context: context)
    if !isGreeted {
      guard received.count >= Self.preface else { return }
      received.removeFirst(Self.preface)
      isGreeted = true
      let settings = FrameGrammar.frame(.settings, 0, 0, [])
      writer.write([settings + FrameGrammar.frame(.window, 0, 0, FrameGrammar.bigEndian(1 << 30))])
      if !book.greeting.isEmpty { writer.write([book.greeting]) }
    }
    while let frame = takeFrame() { take(frame, writer) }
  }

  private struct Frame {
    let kind: FrameGrammar.Kind?
    let flags: UInt8
    let stream: UInt32
    let payload: ArraySlice<UInt8>
  }

  private func takeFrame() -> Frame? {
    guard received.count >= 9 else { return nil }
    let length = Int(received[0]) << 16 | Int(received[1]) << 8 | Int(received[2])
    guard received.count >= 9 + length else { return nil }
    let stream = received[5..<9].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    defer { received.removeFirst(9 + length) }
    return Frame(
      kind: FrameGrammar.Kind(rawValue: received[3]), flags: received[4], stream: stream,
      payload: received[9..<(9 + length)])
  }

  private func take(_ frame: Frame, _ writer: AnswerWriter) {
    switch frame.kind {
    case .settings where frame.flags & 1 == 0:
      writer.write([FrameGrammar.frame(.settings, 1, 0, [])])
    case .ping where frame.flags & 1 == 0:
      writer.write([FrameGrammar.frame(.ping, 1, 0, Array(frame.payload))])
    case .data:
      bodies[frame.stream, default: []] += frame.payload
      if frame.flags & 1 == 1 { answer(frame.stream, writer) }
    default: break
    }
  }

  private func answer(_ stream: UInt32, _ writer: AnswerWriter) {
    let body = bodies.removeValue(forKey: stream) ?? []
    let isForToken =
      body.starts(with: "grant_type=".utf8) || body.firstRange(of: Array("assertion=".utf8)) != nil
    if isForToken {
      let grant = #"{"access_token":"t","expires_in":3600,"token_type":"Bearer"}"#
      return writer.write([FrameGrammar.healthy(stream, body: grant)])
    }
    let script = book.script(for: body)(stream)
    writer.write(script.pieces)
    if !script.endless.isEmpty {
      writer.repeatEndlessly(script.endless, bytesPerSecond: Self.bytesPerSecond) { [book] in
        book.note("client reads without end")
      }
    }
    writer.end(script.ending)
  }

  package func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }
}
